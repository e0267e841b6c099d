import { OverviewPage } from "@/features/overview/overview-page";

export default function Page() {
  return <OverviewPage />;
}
