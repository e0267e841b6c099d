import type { Metadata } from "next";

export const metadata: Metadata = { title: "Note" };

export { NotePage as default } from "@/features/notes/note-page";
