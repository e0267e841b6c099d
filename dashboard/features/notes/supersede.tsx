"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { PageHeader } from "@/components/page-header";
import { toDraft } from "@/features/notes/note-editor";
import { NoteForm } from "@/features/notes/note-form";
import { api, type NoteDraft } from "@/lib/api";
import { noteLink } from "@/lib/filter";
import { tell } from "@/lib/notice";
import type { Note } from "@/lib/schemas/note";

/** Replace a note by a new one; the old one stays readable and leaves recall. */
export function Supersede({ note, onCancel }: { note: Note; onCancel: () => void }) {
  const router = useRouter();
  const queries = useQueryClient();
  const replace = useMutation({
    mutationFn: (draft: NoteDraft) => api.supersede(note.id, draft),
    onSuccess: (newer) => {
      void queries.invalidateQueries();
      tell(`Replaced “${note.title}”.`);
      router.push(noteLink(newer.id));
    },
  });
  return (
    <>
      <PageHeader title="Replace by a new note" about={`“${note.title}” stays readable, and is left out of recall.`} />
      <NoteForm
        start={toDraft(note)}
        save="Replace"
        saving={replace.isPending}
        error={replace.error}
        onSave={replace.mutate}
        onCancel={onCancel}
      />
    </>
  );
}
