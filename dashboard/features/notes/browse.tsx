"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useCallback, useEffect } from "react";
import Link from "@/components/link";
import { Empty } from "@/components/empty";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { buttonClass } from "@/components/ui/button";
import { Filters } from "@/features/notes/filters";
import { NoteList } from "@/features/notes/note-list";
import { SearchBox } from "@/features/notes/search-box";
import { useFilter } from "@/features/notes/use-filter";
import { notesQuestion, useNotes, type AnsweredPage } from "@/features/notes/use-notes";
import { tidyFilter, type NoteFilter } from "@/lib/filter";
import { plural } from "@/lib/format";

const ADDRESS_LAG_MS = 500;

/** Every note, narrowed by words and filters; the address always says what is shown. */
export function Browse() {
  const queries = useQueryClient();
  const { filter, change, publish } = useFilter();
  const query = useNotes(filter);
  const first = query.data?.pages[0];
  const shown = first?.filter;
  // Writing the address costs the browser milliseconds that whoever types would wait for: it follows in a pause.
  useEffect(() => {
    if (!shown) return;
    const timer = setTimeout(() => publish(shown), ADDRESS_LAG_MS);
    return () => clearTimeout(timer);
  }, [shown, publish]);
  const ask = useCallback(
    (wish: NoteFilter) => {
      const next = tidyFilter(wish);
      // The question leaves before the page draws the letter that was typed.
      void queries.prefetchInfiniteQuery(notesQuestion(next));
      change(next);
    },
    [queries, change],
  );
  return (
    <>
      <PageHeader title="Browse" about={first && summary(first)}>
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
      <Loaded query={query} isEmpty={(data) => data.pages[0]?.notes.length === 0} empty={<NothingFound filter={filter} />}>
        {(data) => (
          <NoteList
            pages={data.pages}
            more={query.hasNextPage && !query.isFetchingNextPage && !query.isPlaceholderData}
            loadMore={query.fetchNextPage}
          />
        )}
      </Loaded>
    </>
  );
}

function summary({ total, next, filter }: AnsweredPage): string {
  if (filter.q && total === 0) return `Nothing found for “${filter.q}”`;
  if (!filter.q) return `${plural(total, "note")}, newest first`;
  // A search is not counted to its end; that there is more is all one needs to know.
  const found = next === null ? plural(total, "note") : `more than ${plural(next, "note")}`;
  return `${found} for “${filter.q}”, best first`;
}

function NothingFound({ filter }: { filter: NoteFilter }) {
  if (Object.values(filter).some(Boolean)) {
    return (
      <Empty title="No notes match.">
        Try fewer or other words, or{" "}
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
