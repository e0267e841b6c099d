"use client";

import { useWindowVirtualizer } from "@tanstack/react-virtual";
import clsx from "clsx";
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { useShortcuts, type Shortcuts } from "@/lib/keys";

export type Selection = {
  ids: ReadonlySet<string>;
  toggle: (id: string) => void;
  take: (ids: string[]) => void;
  clear: () => void;
};

type Props<T> = {
  items: T[];
  label: string;
  /** The height of a row before it is measured. */
  estimate: (item: T | undefined) => number;
  more?: boolean;
  loadMore?: () => void;
  /** What Enter does with the active row. */
  open?: (item: T) => void;
  /** With a selection, x and a tick box select a row. */
  selection?: Selection;
  canSelect?: (item: T) => boolean;
  /** Other keys for the active row. */
  keys?: (item: T) => Shortcuts;
  /** A heading above a row. */
  heading?: (item: T, before: T | undefined) => ReactNode;
  /** Rows stand apart from each other, instead of in one box. */
  loose?: boolean;
  /** `tick` is the box that selects a row which stands apart; in one box with the others, the list puts it first. */
  children: (item: T, state: { active: boolean; tick?: ReactNode }) => ReactNode;
};

const OVERSCAN = 4;
const NEAR_END = 4;

/** The list of every page: j and k move, Enter opens, x selects; it renders only the rows near the screen. */
export function List<T extends { id: string }>(props: Props<T>) {
  const { items, label, estimate, more = false, loadMore, open, selection, keys, heading, loose, children } = props;
  const top = useRef<HTMLUListElement>(null);
  const [margin, setMargin] = useState(0);
  const [at, setAt] = useState(-1);
  // The list's offset depends on how the content above it wraps.
  useLayoutEffect(() => setMargin(top.current?.offsetTop ?? 0), [items]);
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: (place) => estimate(items[place]),
    overscan: OVERSCAN,
    scrollMargin: margin,
    getItemKey: (place) => items[place]?.id ?? place,
  });
  const focusRow = (place: number) => {
    rows.scrollToIndex(place, { align: "auto" });
    requestAnimationFrame(() =>
      top.current?.querySelector<HTMLElement>(`[data-index="${place}"]`)?.focus({ preventScroll: true }),
    );
  };
  const active = Math.min(at, items.length - 1);
  const chosen = items[active];
  const move = (step: number) => {
    const next = Math.max(0, Math.min(items.length - 1, active + step));
    setAt(next);
    focusRow(next);
  };
  const canSelect = chosen && selection && (props.canSelect?.(chosen) ?? true);
  useShortcuts("In a list", {
    j: { does: "Next", run: () => move(1) },
    k: { does: "Previous", run: () => move(-1) },
    ...(open && { Enter: { does: "Open", run: () => chosen && open(chosen) } }),
    ...(selection && { x: { does: "Select", run: () => canSelect && selection.toggle(chosen.id) } }),
    ...(chosen && keys?.(chosen)),
  });
  const draw = (item: T, isActive: boolean) => {
    if (!selection || !(props.canSelect?.(item) ?? true)) return children(item, { active: isActive });
    const tick = <Tick item={item} selection={selection} />;
    if (loose) return children(item, { active: isActive, tick });
    return (
      <div className="flex items-stretch">
        <div className="grid w-9 shrink-0 place-items-center border-b border-line">{tick}</div>
        <div className="min-w-0 flex-1 [&>a]:pl-1">{children(item, { active: isActive })}</div>
      </div>
    );
  };
  const lastSeen = rows.range?.endIndex ?? 0;
  useEffect(() => {
    if (more && lastSeen >= items.length - NEAR_END) loadMore?.();
  }, [more, lastSeen, items.length, loadMore]);
  return (
    <div className={clsx(!loose && "overflow-hidden rounded-lg border border-line bg-panel")}>
      <ul ref={top} aria-label={label} className="relative -mb-px" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((row) => {
          const item = items[row.index];
          return (
            item && (
              // Focus moves through the rows with j and k.
              // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
              <li
                key={row.key}
                ref={rows.measureElement}
                tabIndex={-1}
                data-index={row.index}
                data-active={row.index === active || undefined}
                onFocus={() => setAt(row.index)}
                aria-setsize={more ? -1 : items.length}
                aria-posinset={row.index + 1}
                className={clsx(
                  "absolute inset-x-0 top-0 outline-offset-[-2px]",
                  loose ? "pb-3" : "data-active:bg-accent-wash",
                )}
                style={{ transform: `translateY(${row.start - rows.options.scrollMargin}px)` }}>
                {heading?.(item, items[row.index - 1])}
                {draw(item, row.index === active)}
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}

function Tick({ item, selection }: { item: { id: string; title?: string }; selection: Selection }) {
  return (
    <label className="relative -m-2 cursor-pointer p-2">
      <input
        type="checkbox"
        aria-label={`Select ${item.title || "Untitled"}`}
        checked={selection.ids.has(item.id)}
        onChange={() => selection.toggle(item.id)}
        className="block size-4 accent-accent"
      />
    </label>
  );
}

/** The rows selected for a change to many at once; they stay selected when the filter changes. */
export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  return {
    ids,
    toggle: (id) =>
      setIds((before) =>
        before.has(id) ? new Set([...before].filter((each) => each !== id)) : new Set([...before, id]),
      ),
    take: (taken) => setIds(new Set(taken)),
    clear: () => setIds(new Set()),
  };
}
