"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { VirtualList, type ListHandle } from "@/components/virtual-list";
import { DeleteNote } from "@/features/notes/delete-note";
import { ReviewCard } from "@/features/review/review-card";
import { api } from "@/lib/api";
import { useShortcuts } from "@/lib/keys";
import { tell } from "@/lib/notice";
import type { NoteSummary } from "@/lib/schemas/note";
import { useTellWithUndo } from "@/lib/undo";

type Props = { notes: NoteSummary[]; more: boolean; loadMore: () => void };

const CARD = 84;
const height = () => CARD;

/** The notes to review; j and k move, y keeps, x deletes. */
export function Queue({ notes, more, loadMore }: Props) {
  const queries = useQueryClient();
  const tellWithUndo = useTellWithUndo();
  const [at, setAt] = useState(0);
  const [deleting, setDeleting] = useState<NoteSummary | null>(null);
  const list = useRef<ListHandle>(null);
  const active = Math.min(at, notes.length - 1);
  const chosen = notes[active];
  const keep = useMutation({
    mutationFn: (note: NoteSummary) => api.keep(note.id),
    onSuccess: ({ undo }, note) => {
      void queries.invalidateQueries();
      tellWithUndo(`Kept “${note.title}”.`, () => api.restore(note.id, { text: undo }, null));
    },
    onError: (error) => tell(error.message, true),
  });
  const move = (step: number) => {
    const next = Math.max(0, Math.min(notes.length - 1, active + step));
    setAt(next);
    list.current?.show(next);
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    ...(chosen && { y: () => keep.mutate(chosen), x: () => setDeleting(chosen) }),
  });
  return (
    <>
      <VirtualList ref={list} items={notes} label="To review" estimate={height} more={more} loadMore={loadMore} rowClassName="pb-3">
        {(note, place) => (
          <ReviewCard note={note} active={place === active} onKeep={() => keep.mutate(note)} onDelete={() => setDeleting(note)} />
        )}
      </VirtualList>
      {deleting && <DeleteNote note={deleting} onClose={() => setDeleting(null)} onDeleted={() => undefined} />}
    </>
  );
}
