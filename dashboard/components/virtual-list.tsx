"use client";

import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, useState, type ReactNode, type Ref } from "react";

/** Scrolls a row into view. */
export type ListHandle = { show: (place: number) => void };

type Props<T> = {
  items: T[];
  label: string;
  /** The height of a row before it is measured. */
  estimate: (item: T | undefined) => number;
  more: boolean;
  loadMore: () => void;
  className?: string;
  rowClassName?: string;
  ref?: Ref<ListHandle>;
  children: (item: T, place: number) => ReactNode;
};

const OVERSCAN = 3;
const NEAR_END = 4;

/** A long list that renders only its visible rows; the next page is requested before the end is reached. */
export function VirtualList<T extends { id: string }>(props: Props<T>) {
  const { items, label, estimate, more, loadMore, className = "", rowClassName = "", ref, children } = props;
  const top = useRef<HTMLUListElement>(null);
  const [margin, setMargin] = useState(0);
  // The list's offset depends on how the content above it wraps.
  useLayoutEffect(() => setMargin(top.current?.offsetTop ?? 0), [items]);
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: (place) => estimate(items[place]),
    overscan: OVERSCAN,
    scrollMargin: margin,
    getItemKey: (place) => items[place]?.id ?? place,
  });
  useImperativeHandle(ref, () => ({ show: (place) => rows.scrollToIndex(place, { align: "auto" }) }), [rows]);
  const lastSeen = rows.range?.endIndex ?? 0;
  useEffect(() => {
    if (more && lastSeen >= items.length - NEAR_END) loadMore();
  }, [more, lastSeen, items.length, loadMore]);
  return (
    <ul ref={top} aria-label={label} className={`relative ${className}`} style={{ height: rows.getTotalSize() }}>
      {rows.getVirtualItems().map((row) => {
        const item = items[row.index];
        return (
          item && (
            <li
              key={row.key}
              ref={rows.measureElement}
              data-index={row.index}
              aria-setsize={more ? -1 : items.length}
              aria-posinset={row.index + 1}
              className={`absolute inset-x-0 top-0 ${rowClassName}`}
              style={{ transform: `translateY(${row.start - rows.options.scrollMargin}px)` }}
            >
              {children(item, row.index)}
            </li>
          )
        );
      })}
    </ul>
  );
}
