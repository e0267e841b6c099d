import type { Metadata } from "next";
import { Suspense } from "react";
import { Conflicts } from "@/features/conflicts/conflicts";

export const metadata: Metadata = { title: "Conflicts" };

export default function Page() {
  return (
    <Suspense>
      <Conflicts />
    </Suspense>
  );
}
