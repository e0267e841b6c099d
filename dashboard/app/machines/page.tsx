import type { Metadata } from "next";
import { Suspense } from "react";
import { Machines } from "@/features/fleet/machines";

export const metadata: Metadata = { title: "Machines" };

export default function Page() {
  return (
    <Suspense>
      <Machines />
    </Suspense>
  );
}
