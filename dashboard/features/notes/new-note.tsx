"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { PageHeader } from "@/components/page-header";
import { NoteForm } from "@/features/notes/note-form";
import { api, type NoteDraft } from "@/lib/api";
import { noteLink } from "@/lib/filter";
import { tell } from "@/lib/notice";

const BLANK: NoteDraft = { type: "semantic", title: "", body: "", project: "global", scope: "portable", tags: [] };

export function NewNote() {
  const router = useRouter();
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: api.create,
    onSuccess: (note) => {
      void queries.invalidateQueries();
      tell("Written. It reaches your other machines with the next sync.");
      router.push(noteLink(note.id));
    },
  });
  return (
    <>
      <PageHeader title="New note" about="One fact, decision or fix, with the words somebody would search for." />
      <NoteForm
        start={BLANK}
        save="Write note"
        saving={create.isPending}
        error={create.error}
        onSave={create.mutate}
        onCancel={() => router.back()}
      />
    </>
  );
}
