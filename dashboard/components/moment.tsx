"use client";

import { ago, exactTime } from "@/lib/format";

/** A relative time; the exact one on hover. */
export function Moment({ at, className }: { at: string; className?: string }) {
  return (
    <time dateTime={at} title={exactTime(at)} className={className}>
      {ago(at)}
    </time>
  );
}
