import type { Metadata } from "next";
import { Suspense } from "react";
import { NewNote } from "@/features/notes/new-note";

export const metadata: Metadata = { title: "New note" };

export default function Page() {
  return (
    <Suspense>
      <NewNote />
    </Suspense>
  );
}
