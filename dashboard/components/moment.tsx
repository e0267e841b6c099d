"use client";

import { ago, exactTime } from "@/lib/format";

type Props = { at: string; exact?: boolean; className?: string };

/** A time as people say it; the exact one on hover, or beside it. */
export function Moment({ at, exact, className }: Props) {
  return (
    <time dateTime={at} title={exactTime(at)} className={className}>
      {ago(at)}
      {exact && ` (${exactTime(at)})`}
    </time>
  );
}
