import type { Metadata } from "next";
import { Suspense } from "react";
import { NotePage } from "@/features/notes/note-page";

export const metadata: Metadata = { title: "Note" };

export default function Page() {
  return (
    <Suspense>
      <NotePage />
    </Suspense>
  );
}
