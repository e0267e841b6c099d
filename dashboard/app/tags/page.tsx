import type { Metadata } from "next";

export const metadata: Metadata = { title: "Tags" };

export { TagsPage as default } from "@/features/tags/tags-page";
