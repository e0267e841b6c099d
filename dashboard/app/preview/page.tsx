import type { Metadata } from "next";
import { Suspense } from "react";
import { PreviewPage } from "@/features/sessions/preview-page";

export const metadata: Metadata = { title: "Preview" };

export default function Page() {
  return (
    <Suspense>
      <PreviewPage />
    </Suspense>
  );
}
