"use client";

import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { NoteRow } from "@/features/notes/note-row";
import type { Selection } from "@/features/notes/use-selection";
import { noteLink } from "@/lib/filter";
import { useGo } from "@/lib/go";
import { useShortcuts } from "@/lib/keys";
import type { ListedNote, NotePage } from "@/lib/schemas/note";

type Props = { pages: NotePage[]; more: boolean; loadMore: () => void; selection: Selection };

/** Heights of a row without and with a snippet, before it is measured. */
const ROW = { listed: 58, found: 80 };
const NEAR_END = 3;

/** A long list of which only the rows in sight exist; j, k and Enter move through it, x selects. */
export const NoteList = memo(function NoteList({ pages, more, loadMore, selection }: Props) {
  const notes = useMemo(() => pages.flatMap((page) => page.notes), [pages]);
  const top = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  // Where the list begins depends on how the filters above it wrap.
  useLayoutEffect(() => setMargin(top.current?.offsetTop ?? 0), [notes]);
  const rows = useWindowVirtualizer({
    count: notes.length,
    estimateSize: (place) => (notes[place]?.match ? ROW.found : ROW.listed),
    overscan: 3,
    scrollMargin: margin,
    getItemKey: (place) => notes[place]?.id ?? place,
  });
  const items = rows.getVirtualItems();
  const lastSeen = rows.range?.endIndex ?? 0;
  useEffect(() => {
    if (more && lastSeen >= notes.length - NEAR_END) loadMore();
  }, [more, lastSeen, notes.length, loadMore]);
  const active = useMovingChoice(notes, selection, (place) => rows.scrollToIndex(place, { align: "auto" }));
  return (
    <div ref={top} className="overflow-hidden rounded-lg border border-line bg-panel">
      <ul aria-label="Notes" className="relative -mb-px" style={{ height: rows.getTotalSize() }}>
        {items.map((item) => {
          const note = notes[item.index];
          return (
            note && (
              <li
                key={item.key}
                ref={rows.measureElement}
                data-index={item.index}
                aria-setsize={more ? -1 : notes.length}
                aria-posinset={item.index + 1}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${item.start - rows.options.scrollMargin}px)` }}
              >
                <SelectableRow note={note} active={item.index === active} selection={selection} />
              </li>
            )
          );
        })}
      </ul>
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
