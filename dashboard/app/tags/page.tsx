import type { Metadata } from "next";
import { Suspense } from "react";
import { TagsPage } from "@/features/tags/tags-page";

export const metadata: Metadata = { title: "Tags" };

export default function Page() {
  return (
    <Suspense>
      <TagsPage />
    </Suspense>
  );
}
