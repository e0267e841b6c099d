"use client";

import { useSearchParams } from "next/navigation";
import { PageHeader } from "@/components/page-header";
import { NoteForm } from "@/features/notes/note-form";
import type { NoteFields } from "@/features/notes/typed-note";
import { useAct } from "@/lib/act";
import { api } from "@/lib/api";
import { noteLink } from "@/lib/filter";
import { useGo } from "@/lib/go";
import { useTyped } from "@/lib/typed";

const BLANK: NoteFields = { type: "semantic", title: "", body: "", project: "global", scope: "portable", tags: "" };

export function NewNote() {
  const router = useGo();
  const asked = useSearchParams();
  const start = { ...BLANK, project: asked.get("project") ?? BLANK.project };
  const typed = useTyped(asked.get("draft") ?? "new", start);
  const create = useAct(api.create, {
    quiet: true,
    say: "Saved. Your other machines get it with the next sync.",
    undo: (note) => api.remove(note.id, note.version),
    then: (note) => {
      typed.saved();
      router.push(noteLink(note.id));
    },
  });
  return (
    <>
      <PageHeader title="New note" about="One fact, decision or fix, with the words somebody would search for." />
      <NoteForm
        typed={typed}
        save="Write note"
        sending={create}
        onCancel={() => (window.history.length > 1 ? router.back() : router.push("/notes/"))}
      />
    </>
  );
}
