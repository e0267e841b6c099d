"use client";

import { useQueryClient } from "@tanstack/react-query";
import { PageHeader } from "@/components/page-header";
import { ChangedElsewhere } from "@/features/notes/changed-elsewhere";
import { NoteForm } from "@/features/notes/note-form";
import { toDraft, toFields } from "@/features/notes/typed-note";
import { useAct } from "@/lib/act";
import { api, ask, type NoteDraft } from "@/lib/api";
import { ApiError } from "@/lib/http";
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
  const save = useAct((draft: NoteDraft) => (gone ? api.create(draft) : api.edit(note.id, typed.base, draft)), {
    quiet: true,
    say: "Saved.",
    // An earlier text is restored where the note is now.
    canUndo: (saved) => !gone && saved.scope === note.scope,
    undo: (saved) => api.restore(note.id, { text: typed.base }, saved.version),
    then: (saved) => {
      typed.saved();
      queries.setQueryData(ask.note(saved.id).queryKey, saved);
      onDone(saved.id);
    },
  });
  const stale = typed.changed && (gone || note.version !== typed.base) && (
    <ChangedElsewhere
      note={note}
      draft={toDraft(typed.fields)}
      gone={gone}
      onKeep={() => {
        typed.rebase(note.version);
        save.reset();
      }}
      onDiscard={() => {
        typed.discard();
        onDone(note.id);
      }}
    />
  );
  // The notice says it, and what can be done.
  const isSaid = stale && save.error instanceof ApiError && [404, 409].includes(save.error.status);
  return (
    <>
      <PageHeader title="Edit note" about={note.title} />
      <NoteForm
        typed={typed}
        save={gone ? "Save as a new note" : "Save"}
        sending={isSaid ? { ...save, error: null } : save}
        notice={stale}
        onCancel={() => onDone(note.id)}
      />
    </>
  );
}
