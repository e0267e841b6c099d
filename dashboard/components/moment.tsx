"use client";

import { ago, exactTime } from "@/lib/format";

type Props = { at: string; exact?: boolean; className?: string };

/** A relative time; the exact one on hover, or next to it. */
export function Moment({ at, exact, className }: Props) {
  return (
    <time dateTime={at} title={exactTime(at)} className={className}>
      {ago(at)}
      {exact && ` (${exactTime(at)})`}
    </time>
  );
}
