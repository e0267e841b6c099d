"use client";

import { ArrowRight } from "lucide-react";
import Link from "@/components/link";
import { draftLink, useDrafts } from "@/lib/drafts";
import { plural } from "@/lib/format";
import type { Overview } from "@/lib/schemas/health";

/** What is waiting for the user; renders nothing if nothing is. */
export function Attention({ data }: { data: Overview }) {
  const drafts = useDrafts().map(({ place, fields }) => ({
    number: 1,
    href: draftLink(place),
    what: `Unsaved: ${fields.title ? `“${fields.title}”` : "a draft without a title"}`,
  }));
  const waiting = [
    ...drafts,
    { number: data.sync.held, href: "/conflicts/", what: `${plural(data.sync.held, "note")} held by a conflict` },
    { number: data.review, href: "/review/", what: `${plural(data.review, "note")} to review` },
    { number: data.uncaptured, href: "/doctor/#activity", what: `${plural(data.uncaptured, "session")} not captured yet` },
    { number: data.problems.length, href: "/doctor/", what: `${plural(data.problems.length, "file")} that cannot be read` },
  ].filter((item) => item.number > 0);
  if (waiting.length === 0) return null;
  return (
    <ul aria-label="Waiting for you" className="flex flex-wrap gap-2">
      {waiting.map((item) => (
        <li key={item.href}>
          <Link
            href={item.href}
            className="inline-flex items-center gap-1.5 rounded-full border border-accent/40 bg-accent-wash px-3 py-1 text-sm font-medium text-accent hover:border-accent"
          >
            {item.what} <ArrowRight aria-hidden className="size-3.5" />
          </Link>
        </li>
      ))}
    </ul>
  );
}
