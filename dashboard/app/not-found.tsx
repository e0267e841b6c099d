import Link from "@/components/link";
import { Empty } from "@/components/empty";

export default function NotFound() {
  return (
    <Empty page title="Page not found.">
      <Link href="/" className="text-accent underline">
        Go to the overview
      </Link>
    </Empty>
  );
}
