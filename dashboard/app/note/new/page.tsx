import type { Metadata } from "next";

export const metadata: Metadata = { title: "New note" };

export { NewNote as default } from "@/features/notes/new-note";
