import type { Metadata } from "next";

export const metadata: Metadata = { title: "Browse" };

export { Browse as default } from "@/features/notes/browse";
