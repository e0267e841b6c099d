"use client";

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import type { ReactNode } from "react";
import Link from "@/components/link";
import { PageTitle } from "@/components/page-header";
import { headlineOf } from "@/features/health/findings";
import { useWaiting } from "@/features/shell/nav-links";
import { COLOURS, syncSummary } from "@/features/sync/sync-summary";
import { ask } from "@/lib/api";
import { notesLink } from "@/lib/filter";
import { ago, count, plural } from "@/lib/format";
import type { Overview } from "@/lib/types";

/** The state of the memory at a glance; each part links to the page that shows why. The boxes keep their size while they load. */
export function Headline({ data }: { data: Overview }) {
  const health = useQuery(ask.health()).data;
  const sync = useQuery(ask.status()).data?.sync;
  const waiting = useWaiting();
  const verdict = health && headlineOf(health.checks, data);
  const synced = sync && syncSummary(sync);
  return (
    <header>
      <PageTitle>
        <Link href="/notes/" className="hover:underline">
          {plural(data.total, "note")}
        </Link>{" "}
        from{" "}
        <Link href="/machines/" className="hover:underline">
          {plural(data.authors, "machine")}
        </Link>
      </PageTitle>
      <p className="mt-1 min-h-5 text-sm text-faint">
        {data.superseded > 0 && `${count(data.superseded)} more ${data.superseded === 1 ? "is" : "are"} superseded. `}
        {data.last_capture && `The last session was captured ${ago(data.last_capture)}.`}
      </p>
      <dl className="mt-4 grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Fact name="Inbox" href="/inbox/" state={waiting > 0 ? "warn" : "good"}>
          {waiting > 0 ? `${count(waiting)} waiting for you` : "nothing waits"}
        </Fact>
        <Fact name="Health" href="/settings/" state={verdict?.state ?? "off"}>
          {verdict?.text ?? "checking …"}
        </Fact>
        <Fact name="Sync" href="/machines/" state={synced?.state ?? "off"}>
          {synced?.short ?? "checking …"}
        </Fact>
        <Fact name="This week" href={notesLink({ since: data.week })} state="off">
          {data.changed_this_week > 0 ? `${count(data.changed_this_week)} new or changed` : "nothing new"}
        </Fact>
      </dl>
    </header>
  );
}

type FactProps = { name: string; href: string; state: keyof typeof COLOURS; children: ReactNode };

function Fact({ name, href, state, children }: FactProps) {
  return (
    <div className="relative rounded-lg border border-line bg-panel px-3.5 py-2.5 hover:border-edge">
      <dt className="text-xs text-faint">{name}</dt>
      <dd className={clsx("text-sm font-medium max-sm:line-clamp-2 max-sm:min-h-10 sm:truncate", COLOURS[state])}>
        <Link href={href} className="after:absolute after:inset-0">
          {children}
        </Link>
      </dd>
    </div>
  );
}
