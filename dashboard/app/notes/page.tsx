import type { Metadata } from "next";

export const metadata: Metadata = { title: "Notes" };

export { NotesPage as default } from "@/features/notes/notes-page";
