import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery, useQuery, type InfiniteData } from "@tanstack/react-query";
import { api } from "@/lib/api";
import type { NoteFilter } from "@/lib/filter";
import type { NotePage } from "@/lib/schemas/note";

/** A search costs the server something for every note it explains: its first answer fills a screen, no more. */
const PAGE = { list: 100, firstFound: 12, found: 30 };
const PALETTE = 8;
const NOTHING = { notes: [], unknown: [] };

/** A page says what it answers: while the next answer is on its way, the old one must not pass for it. */
export type AnsweredPage = NotePage & { filter: NoteFilter };
export type AnsweredPages = InfiniteData<AnsweredPage, number>;

/** The question for the notes that a filter leaves, page by page. */
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

/** The notes that a filter leaves; the last answer stays while the next is on its way. */
export function useNotes(filter: NoteFilter) {
  return useInfiniteQuery({ ...notesQuestion(filter), placeholderData: keepPreviousData });
}

/** The best notes for what is typed in the palette, and the words that no note holds. */
export function useNoteSearch(text: string): Pick<NotePage, "notes" | "unknown"> {
  const { data } = useQuery({
    queryKey: ["notes", "palette", text],
    queryFn: ({ signal }) => api.notes({ q: text }, 0, PALETTE, signal),
    enabled: text !== "",
    placeholderData: keepPreviousData,
  });
  return text && data ? data : NOTHING;
}

export function useFacets() {
  return useQuery({ queryKey: ["facets"], queryFn: api.facets });
}

export function useNote(id: string) {
  return useQuery({ queryKey: ["note", id], queryFn: () => api.note(id), enabled: id !== "" });
}

/** What a note names, what names it, and what says much the same. */
export function useNoteLinks(id: string) {
  return useQuery({ queryKey: ["note", id, "links"], queryFn: () => api.noteLinks(id) });
}

function pageSize(filter: NoteFilter, offset: number): number {
  if (!filter.q) return PAGE.list;
  return offset === 0 ? PAGE.firstFound : PAGE.found;
}
