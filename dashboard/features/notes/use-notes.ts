import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { api } from "@/lib/api";
import type { NoteFilter } from "@/lib/filter";
import type { NotePage } from "@/lib/schemas/note";

/** A search costs the server something for every note it explains, so its first page just fills a screen. */
const PAGE = { list: 100, firstFound: 12, found: 30 };
const PALETTE = 8;

type Found = Pick<NotePage, "notes" | "unknown"> & { failure: string; searching: boolean };

/** A page includes its query: while the next answer is loading, the old one must not pass for it. */
export type AnsweredPage = NotePage & { filter: NoteFilter };

/** The query for the notes that match a filter, page by page. */
export function notesQuestion(filter: NoteFilter) {
  return infiniteQueryOptions({
    queryKey: ["notes", filter],
    queryFn: async ({ pageParam, signal }): Promise<AnsweredPage> => ({
      ...(await api.notes(filter, pageParam, pageSize(filter, pageParam), signal)),
      filter,
    }),
    initialPageParam: 0,
    getNextPageParam: (page) => page.next,
  });
}

/** The notes that match a filter; the last answer stays while the next is loading. */
export function useNotes(filter: NoteFilter) {
  return useInfiniteQuery({ ...notesQuestion(filter), placeholderData: keepPreviousData });
}

/** The best notes for the text in the palette, the words that no note contains, and whether that is known yet. */
export function useNoteSearch(text: string): Found {
  const { data, error, isLoading } = useQuery({
    queryKey: ["notes", "palette", text],
    queryFn: ({ signal }) => api.notes({ q: text }, 0, PALETTE, signal),
    enabled: text !== "",
    placeholderData: keepPreviousData,
  });
  const found = text && data ? data : { notes: [], unknown: [] };
  return { ...found, failure: error?.message ?? "", searching: isLoading };
}

function pageSize(filter: NoteFilter, offset: number): number {
  if (!filter.q) return PAGE.list;
  return offset === 0 ? PAGE.firstFound : PAGE.found;
}
