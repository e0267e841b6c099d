"use client";

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { useMemo } from "react";
import { Chips, type Dimension } from "@/components/chips";
import { Empty } from "@/components/empty";
import { List } from "@/components/list";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { EventRow, eventLink } from "@/features/activity/event-row";
import { SessionPage } from "@/features/activity/session-page";
import { ask } from "@/lib/api";
import { tidyFilter } from "@/lib/filter";
import { dayOf } from "@/lib/format";
import { useGo } from "@/lib/go";
import { useFilter } from "@/lib/use-filter";
import type { Event } from "@/lib/types";

const KINDS = [
  { value: "session", name: "sessions" },
  { value: "added", name: "new notes" },
  { value: "edited", name: "edits" },
  { value: "deleted", name: "deletions" },
];
const height = () => 58;

/** What happened, day by day: sessions, edits, deletions and what other machines sent; or one session. */
export function ActivityPage() {
  const session = useSearchParams().get("session");
  return session ? <SessionPage key={session} id={session} /> : <Timeline />;
}

function Timeline() {
  const router = useGo();
  const { filter, change, publish } = useFilter("/activity/");
  const query = useInfiniteQuery(ask.activity(filter));
  const { data: facets } = useQuery(ask.facets());
  const events = useMemo(() => numbered(query.data?.pages.flatMap((page) => page.events) ?? []), [query.data]);
  const dimensions: Dimension[] = [
    { key: "kind", name: "Kind", options: KINDS },
    { key: "machine", name: "Machine", options: (facets?.machines ?? []).map((each) => ({ value: each.name })) },
    { key: "project", name: "Project", options: (facets?.projects ?? []).map((each) => ({ value: each.name })) },
  ];
  return (
    <>
      <PageHeader title="Activity" />
      <Chips
        days
        dimensions={dimensions}
        filter={filter}
        onChange={(wanted) => {
          const next = tidyFilter(wanted);
          change(next);
          publish(next);
        }}
      />
      <Loaded
        query={query}
        isEmpty={() => events.length === 0}
        empty={<Nothing narrowed={Object.keys(filter).length > 0} />}>
        {() => (
          <List
            items={events}
            label="What happened"
            estimate={height}
            more={query.hasNextPage && !query.isFetchingNextPage && !query.isPlaceholderData}
            loadMore={query.fetchNextPage}
            open={(event) => router.push(eventLink(event))}
            heading={(event, before) =>
              (!before || dayOf(before.at) !== dayOf(event.at)) && (
                <h2 className="border-b border-line bg-sunken px-4 py-1.5 text-sm font-semibold text-soft">
                  {dayOf(event.at)}
                </h2>
              )
            }>
            {(event) => <EventRow event={event} />}
          </List>
        )}
      </Loaded>
    </>
  );
}

/** Events with an id of their own: one note may have changed several times. */
function numbered(events: Event[]): (Event & { id: string; note: string })[] {
  return events.map((event, place) => ({
    ...event,
    note: event.id,
    id: `${event.kind} ${event.session?.id ?? event.id} ${event.commit ?? event.at} ${place}`,
  }));
}

function Nothing({ narrowed }: { narrowed: boolean }) {
  if (narrowed) return <Empty title="Nothing happened here.">No session and no change matches these filters.</Empty>;
  return (
    <Empty title="Nothing has happened yet.">
      Sessions appear here when Claude Code starts one with our hooks, and changes to notes with the first sync.
    </Empty>
  );
}
