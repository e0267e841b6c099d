"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { DeleteNote } from "@/features/notes/delete-note";
import { ReviewCard } from "@/features/review/review-card";
import { api } from "@/lib/api";
import { useShortcuts } from "@/lib/keys";
import { tell } from "@/lib/notice";
import type { NoteSummary } from "@/lib/schemas/note";
import { useTellWithUndo } from "@/lib/undo";

type Props = { notes: NoteSummary[]; more: boolean; loadMore: () => void };

const CARD = 84;
const NEAR_END = 5;

/** The notes to judge, of which only those in sight exist; j and k move, y keeps, x deletes. */
export function Queue({ notes, more, loadMore }: Props) {
  const queries = useQueryClient();
  const tellWithUndo = useTellWithUndo();
  const [at, setAt] = useState(0);
  const [deleting, setDeleting] = useState<NoteSummary | null>(null);
  const top = useRef<HTMLUListElement>(null);
  const [margin, setMargin] = useState(0);
  useLayoutEffect(() => setMargin(top.current?.offsetTop ?? 0), [notes]);
  const rows = useWindowVirtualizer({
    count: notes.length,
    estimateSize: () => CARD,
    overscan: 4,
    scrollMargin: margin,
    getItemKey: (place) => notes[place]?.id ?? place,
  });
  const lastSeen = rows.range?.endIndex ?? 0;
  useEffect(() => {
    if (more && lastSeen >= notes.length - NEAR_END) loadMore();
  }, [more, lastSeen, notes.length, loadMore]);
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
    rows.scrollToIndex(next, { align: "auto" });
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    ...(chosen && { y: () => keep.mutate(chosen), x: () => setDeleting(chosen) }),
  });
  return (
    <>
      <ul ref={top} aria-label="To review" className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((item) => {
          const note = notes[item.index];
          return (
            note && (
              <li
                key={item.key}
                ref={rows.measureElement}
                data-index={item.index}
                aria-setsize={more ? -1 : notes.length}
                aria-posinset={item.index + 1}
                className="absolute inset-x-0 top-0 pb-3"
                style={{ transform: `translateY(${item.start - rows.options.scrollMargin}px)` }}
              >
                <ReviewCard
                  note={note}
                  active={item.index === active}
                  onKeep={() => keep.mutate(note)}
                  onDelete={() => setDeleting(note)}
                />
              </li>
            )
          );
        })}
      </ul>
      {deleting && <DeleteNote note={deleting} onClose={() => setDeleting(null)} onDeleted={() => undefined} />}
    </>
  );
}
