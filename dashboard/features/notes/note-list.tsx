"use client";

import { memo, useMemo, useRef, useState } from "react";
import { VirtualList, type ListHandle } from "@/components/virtual-list";
import { NoteRow } from "@/features/notes/note-row";
import type { Selection } from "@/features/notes/use-selection";
import { noteLink } from "@/lib/filter";
import { useGo } from "@/lib/go";
import { useShortcuts } from "@/lib/keys";
import type { ListedNote, NotePage } from "@/lib/schemas/note";

type Props = { pages: NotePage[]; more: boolean; loadMore: () => void; selection: Selection };

/** Heights of a row without and with a snippet, before it is measured. */
const ROW = { listed: 58, found: 80 };
const height = (note?: ListedNote) => (note?.match ? ROW.found : ROW.listed);

/** Notes in rows; j, k and Enter move through them, x selects. */
export const NoteList = memo(function NoteList({ pages, more, loadMore, selection }: Props) {
  const notes = useMemo(() => pages.flatMap((page) => page.notes), [pages]);
  const list = useRef<ListHandle>(null);
  const active = useMovingChoice(notes, selection, (place) => list.current?.show(place));
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-panel">
      <VirtualList ref={list} items={notes} label="Notes" estimate={height} more={more} loadMore={loadMore} className="-mb-px">
        {(note, place) => <SelectableRow note={note} active={place === active} selection={selection} />}
      </VirtualList>
    </div>
  );
});

function SelectableRow({ note, active, selection }: { note: ListedNote; active: boolean; selection: Selection }) {
  return (
    <div className="flex items-stretch">
      <label className="grid w-9 shrink-0 cursor-pointer place-items-center border-b border-line">
        <input
          type="checkbox"
          aria-label={`Select ${note.title || "Untitled"}`}
          checked={selection.ids.has(note.id)}
          onChange={() => selection.toggle(note.id)}
          className="size-4 accent-accent"
        />
      </label>
      <div className="min-w-0 flex-1 [&>a]:pl-1">
        <NoteRow note={note} match={note.match} active={active} />
      </div>
    </div>
  );
}

function useMovingChoice(notes: ListedNote[], selection: Selection, show: (place: number) => void): number {
  const router = useGo();
  const [active, setActive] = useState(-1);
  const move = (step: number) => {
    const next = Math.max(0, Math.min(notes.length - 1, active + step));
    setActive(next);
    show(next);
  };
  const chosen = notes[active];
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    ...(chosen && { Enter: () => router.push(noteLink(chosen.id)), x: () => selection.toggle(chosen.id) }),
  });
  return active;
}
