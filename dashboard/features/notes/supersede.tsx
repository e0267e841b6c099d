"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { PageHeader } from "@/components/page-header";
import { NoteForm } from "@/features/notes/note-form";
import { toFields } from "@/features/notes/typed-note";
import { api, type NoteDraft } from "@/lib/api";
import { noteLink } from "@/lib/filter";
import { useGo } from "@/lib/go";
import type { Note } from "@/lib/schemas/note";
import { useTyped } from "@/lib/typed";
import { useTellWithUndo } from "@/lib/undo";

/** Replace a note with a new one; the old one stays readable, but recall leaves it out. */
export function Supersede({ note, onCancel }: { note: Note; onCancel: () => void }) {
  const router = useGo();
  const queries = useQueryClient();
  const tell = useTellWithUndo();
  const typed = useTyped(`replace/${note.id}`, toFields(note), note.version);
  const replace = useMutation({
    mutationFn: (draft: NoteDraft) => api.supersede(note.id, draft),
    onSuccess: (newer) => {
      typed.saved();
      void queries.invalidateQueries();
      tell(`Replaced “${note.title}”.`, async () => {
        await api.remove(newer.id, newer.version);
        router.push(noteLink(note.id));
      });
      router.push(noteLink(newer.id));
    },
  });
  return (
    <>
      <PageHeader title="Replace with a new note" about={`“${note.title}” stays readable, but is no longer found or injected.`} />
      <NoteForm
        typed={typed}
        save="Replace"
        saving={replace.isPending}
        error={replace.error}
        onSave={replace.mutate}
        onCancel={onCancel}
      />
    </>
  );
}
