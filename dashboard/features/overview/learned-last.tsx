"use client";

import Link from "@/components/link";
import { Moment } from "@/components/moment";
import { Title } from "@/components/title";
import { Panel } from "@/components/ui/panel";
import { activityLink, noteLink } from "@/lib/filter";
import type { Machine } from "@/lib/types";

/** What each machine wrote or changed last, by the author of the commit. */
export function LearnedLast({ machines }: { machines: Machine[] }) {
  return (
    <Panel title="What each machine learned last" flush className="lg:first:col-span-2">
      <ul>
        {machines.map(({ name, here, last_note }) => (
          <li key={name} className="border-b border-line px-4 py-2.5 last:border-0">
            <p className="flex items-baseline justify-between gap-3 text-sm">
              <Link href={activityLink({ machine: name })} className="font-medium hover:underline">
                {name}
                {here && <span className="font-normal text-faint"> (here)</span>}
              </Link>
              {last_note && <Moment at={last_note.at} className="text-faint" />}
            </p>
            {last_note ? (
              <Link href={noteLink(last_note.id)} className="mt-0.5 line-clamp-2 hover:underline">
                <Title text={last_note.title} />
              </Link>
            ) : (
              <p className="text-faint italic">no note of it yet</p>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
