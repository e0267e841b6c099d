"use client";

import { PageHeader } from "@/components/page-header";
import { NoteForm } from "@/features/notes/note-form";
import { toFields } from "@/features/notes/typed-note";
import { useAct } from "@/lib/act";
import { api, type NoteDraft } from "@/lib/api";
import { noteLink } from "@/lib/filter";
import { useGo } from "@/lib/go";
import type { Note } from "@/lib/types";
import { useTyped } from "@/lib/typed";

/** Replace a note with a new one; the old one stays readable, but recall leaves it out. */
export function Supersede({ note, onCancel }: { note: Note; onCancel: () => void }) {
  const router = useGo();
  const typed = useTyped(`replace/${note.id}`, toFields(note), note.version);
  const replace = useAct((draft: NoteDraft) => api.supersede(note.id, draft), {
    quiet: true,
    say: `Replaced “${note.title}”.`,
    undo: async (newer) => {
      await api.remove(newer.id, newer.version);
      router.push(noteLink(note.id));
    },
    then: (newer) => {
      typed.saved();
      router.push(noteLink(newer.id));
    },
  });
  return (
    <>
      <PageHeader
        title="Replace with a new note"
        about={`“${note.title}” stays readable, but is no longer found or told.`}
      />
      <NoteForm typed={typed} save="Replace" sending={replace} onCancel={onCancel} />
    </>
  );
}
