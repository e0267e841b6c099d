import type { Metadata } from "next";
import { Suspense } from "react";
import { Browse } from "@/features/notes/browse";

export const metadata: Metadata = { title: "Browse" };

export default function Page() {
  return (
    <Suspense>
      <Browse />
    </Suspense>
  );
}
