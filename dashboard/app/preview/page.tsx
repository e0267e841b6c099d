import type { Metadata } from "next";

export const metadata: Metadata = { title: "Preview" };

export { PreviewPage as default } from "@/features/sessions/preview-page";
