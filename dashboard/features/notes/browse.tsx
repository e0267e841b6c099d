"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Plus, Tags } from "lucide-react";
import { useCallback, useEffect } from "react";
import Link from "@/components/link";
import { Empty } from "@/components/empty";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { buttonClass } from "@/components/ui/button";
import { BulkBar } from "@/features/notes/bulk-bar";
import { Filters } from "@/features/notes/filters";
import { NoteList } from "@/features/notes/note-list";
import { SearchBox } from "@/features/notes/search-box";
import { useFilter } from "@/features/notes/use-filter";
import { useSelection } from "@/features/notes/use-selection";
import { notesQuestion, useNotes, type AnsweredPage } from "@/features/notes/use-notes";
import { tidyFilter, type NoteFilter } from "@/lib/filter";
import { plural, unknownWord } from "@/lib/format";

const ADDRESS_LAG_MS = 500;
const ORDERS: Record<string, string> = { oldest: "oldest first", created: "newest created first", title: "by title" };

/** Every note, narrowed by search and filters; the URL always says what is shown. */
export function Browse() {
  const queries = useQueryClient();
  const { filter, change, publish } = useFilter();
  const query = useNotes(filter);
  const selection = useSelection();
  const first = query.data?.pages[0];
  const shown = first?.filter;
  // Updating the URL takes milliseconds that would delay typing, so it waits for a pause.
  useEffect(() => {
    if (!shown) return;
    const timer = setTimeout(() => publish(shown), ADDRESS_LAG_MS);
    return () => clearTimeout(timer);
  }, [shown, publish]);
  const ask = useCallback(
    (wish: NoteFilter) => {
      const next = tidyFilter(wish);
      // The request is sent before the page renders the typed letter.
      void queries.prefetchInfiniteQuery(notesQuestion(next));
      change(next);
    },
    [queries, change],
  );
  return (
    <>
      <PageHeader title="Browse" about={first && summary(first)}>
        <Link href="/tags/" className={buttonClass()}>
          <Tags aria-hidden /> Tags
        </Link>
        <Link href="/note/new/" className={buttonClass({ look: "primary" })}>
          <Plus aria-hidden /> New note
        </Link>
      </PageHeader>
      <SearchBox
        value={filter.q ?? ""}
        onChange={(q) => ask({ ...filter, q })}
        onLeave={() => shown && publish(shown)}
      />
      <Filters filter={filter} onChange={ask} />
      <Inexact unknown={first?.unknown ?? []} />
      <Loaded query={query} isEmpty={(data) => data.pages[0]?.notes.length === 0} empty={<NothingFound filter={filter} />}>
        {(data) => (
          <NoteList
            pages={data.pages}
            more={query.hasNextPage && !query.isFetchingNextPage && !query.isPlaceholderData}
            loadMore={query.fetchNextPage}
            selection={selection}
          />
        )}
      </Loaded>
      <BulkBar filter={filter} total={first?.total ?? 0} selection={selection} />
    </>
  );
}

function summary({ total, next, filter }: AnsweredPage): string {
  if (filter.q && total === 0) return `Nothing found for “${filter.q}”`;
  if (!filter.q) return `${plural(total, "note")}, ${ORDERS[filter.sort ?? ""] ?? "newest first"}`;
  // A search is not counted to its end; it is enough to say that there is more.
  const found = next === null ? plural(total, "note") : `more than ${plural(next, "note")}`;
  return `${found} for “${filter.q}”, best first`;
}

/** What a search did with words that no note contains. */
function Inexact({ unknown }: { unknown: AnsweredPage["unknown"] }) {
  if (unknown.length === 0) return null;
  return (
    <p role="status" className="mb-3 text-sm text-warn">
      {unknown.map(unknownWord).join(" ")}
    </p>
  );
}

function NothingFound({ filter }: { filter: NoteFilter }) {
  if (Object.values(filter).some(Boolean)) {
    return (
      <Empty title="No notes match.">
        Try fewer words or different ones, or{" "}
        <Link href="/browse/" className="text-accent underline">
          show all notes
        </Link>
        .
      </Empty>
    );
  }
  return (
    <Empty title="There are no notes yet.">
      Claude Code writes them as you work, once <code className="font-mono text-xs">anamnesis init</code> has been
      run. You can also{" "}
      <Link href="/note/new/" className="text-accent underline">
        write the first one
      </Link>{" "}
      yourself.
    </Empty>
  );
}
