"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { PageHeader } from "@/components/page-header";
import { NoteForm } from "@/features/notes/note-form";
import { StaleChoice } from "@/features/notes/stale-choice";
import { api, type NoteDraft } from "@/lib/api";
import { ApiError } from "@/lib/http";
import { tell } from "@/lib/notice";
import { staleNote, type Note } from "@/lib/schemas/note";

/** Editing is based on one version: if the note changed meanwhile, both texts are shown and none is lost. */
export function NoteEditor({ note, onDone }: { note: Note; onDone: () => void }) {
  const queries = useQueryClient();
  // Frozen when editing begins, so that a live refresh does not quietly move what the edit is based on.
  const [base, setBase] = useState(note);
  const [current, setCurrent] = useState<Note | null>(null);
  const save = useMutation({
    mutationFn: (edited: { draft: NoteDraft; version: string }) => api.edit(note.id, edited.version, edited.draft),
    onSuccess: (saved) => {
      queries.setQueryData(["note", note.id], saved);
      void queries.invalidateQueries();
      tell("Saved.");
      onDone();
    },
    onError: (error) => {
      if (error instanceof ApiError && error.status === 409) setCurrent(staleNote.parse(error.body).current);
    },
  });
  const draft = save.variables?.draft;
  if (current && draft) {
    return (
      <StaleChoice
        current={current}
        draft={draft}
        saving={save.isPending}
        onKeepMine={() => save.mutate({ draft, version: current.version })}
        onTakeTheirs={onDone}
        onEdit={() => {
          setBase({ ...current, ...asNote(draft) });
          setCurrent(null);
        }}
      />
    );
  }
  return (
    <>
      <PageHeader title="Edit note" about={note.path} />
      <NoteForm
        start={toDraft(base)}
        save="Save"
        saving={save.isPending}
        error={save.error}
        onSave={(edited) => save.mutate({ draft: edited, version: base.version })}
        onCancel={onDone}
      />
    </>
  );
}

export function toDraft(note: Note): NoteDraft {
  const { type, title, body, project, scope, tags } = note;
  return { type, title, body, project, scope, tags };
}

function asNote(draft: NoteDraft): Pick<Note, "title" | "body" | "project" | "tags"> {
  return { title: draft.title, body: draft.body, project: draft.project, tags: draft.tags };
}
