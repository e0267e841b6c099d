"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Empty } from "@/components/empty";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { DeleteNote } from "@/features/notes/delete-note";
import { ReflectButton } from "@/features/review/reflect-button";
import { ReviewCard } from "@/features/review/review-card";
import { api } from "@/lib/api";
import { plural } from "@/lib/format";
import { useShortcuts } from "@/lib/keys";
import { tell } from "@/lib/notice";
import type { NoteSummary } from "@/lib/schemas/note";
import { useTellWithUndo } from "@/lib/undo";

function useReview() {
  return useQuery({ queryKey: ["review"], queryFn: api.review });
}

/** What a model or an import wrote, until a person has looked at it. */
export function Review() {
  const query = useReview();
  const waiting = query.data?.notes.length;
  return (
    <>
      <PageHeader
        title="Review"
        about={waiting ? `${plural(waiting, "note")} written by reflection or import, not yet looked at.` : "Notes that no person has looked at yet."}
      >
        <ReflectButton />
      </PageHeader>
      <Loaded
        query={query}
        isEmpty={(data) => data.notes.length === 0}
        empty={<Empty title="Nothing waits for you.">Notes written by reflection or import come here, to be kept, edited or deleted.</Empty>}
      >
        {(data) => <Queue notes={data.notes} />}
      </Loaded>
    </>
  );
}

function Queue({ notes }: { notes: NoteSummary[] }) {
  const queries = useQueryClient();
  const tellWithUndo = useTellWithUndo();
  const [at, setAt] = useState(0);
  const [deleting, setDeleting] = useState<NoteSummary | null>(null);
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
  useShortcuts({
    j: () => setAt(Math.min(active + 1, notes.length - 1)),
    k: () => setAt(Math.max(active - 1, 0)),
    ...(chosen && { y: () => keep.mutate(chosen), x: () => setDeleting(chosen) }),
  });
  return (
    <>
      <ul className="space-y-3">
        {notes.map((note, place) => (
          <li key={note.id}>
            <ReviewCard
              note={note}
              active={place === active}
              onKeep={() => keep.mutate(note)}
              onDelete={() => setDeleting(note)}
            />
          </li>
        ))}
      </ul>
      {deleting && <DeleteNote note={deleting} onClose={() => setDeleting(null)} onDeleted={() => undefined} />}
    </>
  );
}
