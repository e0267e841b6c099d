"use client";

import { useInfiniteQuery, useQuery, useQueryClient, keepPreviousData } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { useCallback, useEffect, useMemo } from "react";
import { Empty } from "@/components/empty";
import Link from "@/components/link";
import { List, useSelection } from "@/components/list";
import { Loaded } from "@/components/loaded";
import { PageTitle } from "@/components/page-header";
import { Prose } from "@/components/prose";
import { buttonClass } from "@/components/ui/button";
import { Tabs } from "@/components/ui/tabs";
import { BulkBar } from "@/features/notes/bulk-bar";
import { NoteFilters } from "@/features/notes/note-filters";
import { NoteRow } from "@/features/notes/note-row";
import { SearchBox } from "@/features/notes/search-box";
import { TagList } from "@/features/notes/tag-list";
import { useFilter } from "@/lib/use-filter";
import { ask, type NotePage } from "@/lib/api";
import { noteLink, tidyFilter, type Filter } from "@/lib/filter";
import { plural, unknownWord } from "@/lib/format";
import { useGo } from "@/lib/go";
import { useSettled } from "@/lib/settled";
import type { ListedNote } from "@/lib/types";

const ADDRESS_LAG_MS = 500;
const COUNT_LAG_MS = 400;
/** Heights of a row without and with a snippet, before it is measured. */
const ROW = { listed: 58, found: 80 };
const height = (note?: ListedNote) => (note?.match ? ROW.found : ROW.listed);

/** Every note, narrowed by search and filters; or the tags. */
export function NotesPage() {
  const router = useGo();
  const tags = useSearchParams().get("view") === "tags";
  return (
    <Tabs
      label="Notes or tags"
      value={tags ? "tags" : "notes"}
      onChange={(view) => router.push(view === "tags" ? "/notes/?view=tags" : "/notes/")}
      heading={<PageTitle>Notes</PageTitle>}
      action={
        <Link href="/note/new/" className={`${buttonClass({ look: "primary" })} max-md:hidden`}>
          <Plus aria-hidden /> New note
        </Link>
      }
      tabs={[
        { value: "notes", label: "All notes", content: <AllNotes /> },
        { value: "tags", label: "Tags", content: <TagList /> },
      ]}
    />
  );
}

function AllNotes() {
  const queries = useQueryClient();
  const router = useGo();
  const { filter, change, publish } = useFilter("/notes/");
  const query = useInfiniteQuery({ ...ask.notes(filter), placeholderData: keepPreviousData });
  const selection = useSelection();
  const first = query.data?.pages[0];
  const shown = first?.filter;
  // Updating the URL takes milliseconds that would delay typing, so it waits for a pause.
  const settled = useSettled(shown, undefined, ADDRESS_LAG_MS);
  useEffect(() => {
    if (settled) publish(settled);
  }, [settled, publish]);
  const wish = useCallback(
    (wanted: Filter) => {
      const next = tidyFilter(wanted);
      // The request is sent before the page renders the typed letter.
      void queries.prefetchInfiniteQuery(ask.notes(next));
      change(next);
    },
    [queries, change],
  );
  const [notes, folded] = useFolded(query.data?.pages);
  return (
    <>
      <SearchBox
        value={filter.q ?? ""}
        onChange={(q) => wish({ ...filter, q })}
        onLeave={() => shown && publish(shown)}
      />
      <NoteFilters filter={filter} onChange={wish} />
      <Summary page={first} />
      <Loaded
        query={query}
        isEmpty={(data) => data.pages[0]?.notes.length === 0}
        empty={<NothingFound filter={filter} />}>
        {() => (
          <List
            items={notes}
            label="Notes"
            estimate={height}
            more={query.hasNextPage && !query.isFetchingNextPage && !query.isPlaceholderData}
            loadMore={query.fetchNextPage}
            selection={selection}
            open={(note) => router.push(noteLink(note.id))}>
            {(note) => <NoteRow note={note} match={note.match} folded={folded.get(note.id)} />}
          </List>
        )}
      </Loaded>
      <BulkBar filter={filter} total={first?.total ?? 0} selection={selection} />
    </>
  );
}

/** Notes without those that repeat a title of the same project, and what each of the others stands for. */
function useFolded(pages: NotePage[] | undefined): [ListedNote[], Map<string, ListedNote[]>] {
  return useMemo(() => {
    const newest = new Map<string, ListedNote>();
    const folded = new Map<string, ListedNote[]>();
    for (const note of (pages ?? []).flatMap((page) => page.notes)) {
      const same = `${note.project}\n${note.type}\n${note.title}`;
      const first = newest.get(same);
      if (first) folded.set(first.id, [...(folded.get(first.id) ?? []), note]);
      else newest.set(same, note);
    }
    return [[...newest.values()], folded];
  }, [pages]);
}

/** How many notes are shown; a search is counted once the typing pauses. */
function Summary({ page }: { page: NotePage | undefined }) {
  const searching = page?.filter.q ? page.filter : null;
  const settled = useSettled(searching, null, COUNT_LAG_MS);
  const counted = useQuery({
    ...ask.selection(settled ?? {}),
    enabled: settled !== null && settled === searching && page?.next !== null,
  }).data?.ids.length;
  if (!page) return <p className="mb-2 h-5 text-sm text-faint" />;
  const { total, next, filter, unknown } = page;
  const known = next === null || !filter.q ? total : settled === searching ? counted : undefined;
  const number =
    known === undefined
      ? `more than ${plural(next ?? total, "note")}`
      : known >= 1000 && filter.q
        ? "1,000 notes or more"
        : plural(known, "note");
  return (
    <p role="status" className="mb-2 min-h-5 text-sm text-faint">
      {number}
      {filter.q && ` for “${filter.q}”${known === 0 ? "" : ", best first"}`}
      {unknown.length > 0 && <span className="text-warn">. {unknown.map(unknownWord).join(" ")}</span>}
    </p>
  );
}

function NothingFound({ filter }: { filter: Filter }) {
  if (Object.values(filter).some(Boolean)) {
    return (
      <Empty title="No notes match.">
        Try fewer words or different ones, or{" "}
        <Link href="/notes/" className="text-accent underline">
          show all notes
        </Link>
        .
      </Empty>
    );
  }
  return (
    <Empty title="There are no notes yet.">
      <Prose text="Claude Code writes them as you work, once `anamnesis init` has been run. You can also" />{" "}
      <Link href="/note/new/" className="text-accent underline">
        write the first one
      </Link>{" "}
      yourself.
    </Empty>
  );
}
