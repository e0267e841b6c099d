"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { PageHeader } from "@/components/page-header";
import { NoteForm } from "@/features/notes/note-form";
import { ChangedElsewhere, StaleChoice } from "@/features/notes/stale-choice";
import { toDraft, toFields } from "@/features/notes/typed-note";
import { api, ask, type NoteDraft } from "@/lib/api";
import { ApiError } from "@/lib/http";
import { tell } from "@/lib/notice";
import type { Note } from "@/lib/types";
import { useTyped } from "@/lib/typed";

type Props = {
  note: Note;
  /** The note was deleted while it was being edited; `note` is its last version. */
  gone: boolean;
  onDone: (id: string) => void;
};

/** An edit of one version: if the note changes meanwhile, the page says so at once, and no text is lost. */
export function NoteEditor({ note, gone, onDone }: Props) {
  const queries = useQueryClient();
  const typed = useTyped(`edit/${note.id}`, toFields(note), note.version);
  const [comparing, setComparing] = useState(false);
  const [newest, setNewest] = useState(note);
  const save = useMutation({
    mutationFn: ({ draft, base }: { draft: NoteDraft; base: string }) =>
      gone ? api.create(draft) : api.edit(note.id, base, draft),
    onSuccess: (saved) => {
      typed.saved();
      queries.setQueryData(["note", saved.id], saved);
      void queries.invalidateQueries();
      tell("Saved.");
      onDone(saved.id);
    },
    onError: async (error) => {
      if (!(error instanceof ApiError) || error.status !== 409) return;
      setNewest(await queries.fetchQuery({ ...ask.note(note.id), staleTime: 0 }));
      setComparing(true);
    },
  });
  // The refused save may know of a change before the page does.
  const current = newest.updated_at > note.updated_at ? newest : note;
  if (comparing && !gone) {
    return (
      <StaleChoice
        current={current}
        draft={toDraft(typed.fields)}
        saving={save.isPending}
        onKeepMine={() => save.mutate({ draft: toDraft(typed.fields), base: current.version })}
        onTakeTheirs={() => {
          typed.discard();
          onDone(note.id);
        }}
        onEdit={() => {
          typed.rebase(current.version);
          setComparing(false);
          save.reset();
        }}
      />
    );
  }
  const stale = typed.changed && (gone || note.version !== typed.base);
  return (
    <>
      <PageHeader title="Edit note" about={note.path} />
      <NoteForm
        typed={typed}
        save={gone ? "Save as a new note" : "Save"}
        saving={save.isPending}
        error={save.error}
        notice={stale && <ChangedElsewhere note={note} gone={gone} onCompare={() => setComparing(true)} />}
        onSave={(draft) => save.mutate({ draft, base: typed.base })}
        onCancel={() => onDone(note.id)}
      />
    </>
  );
}
