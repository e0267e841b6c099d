import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { api } from "@/lib/api";
import type { NoteFilter } from "@/lib/filter";
import type { ListedNote } from "@/lib/schemas/note";

/** A search costs the server something for every note it explains; a plain list next to nothing. */
const PAGE = { list: 100, search: 25 };
const PALETTE = 8;

/** The notes that a filter leaves, page by page; the last answer stays while the next is on its way. */
export function useNotes(filter: NoteFilter) {
  return useInfiniteQuery({
    queryKey: ["notes", filter],
    // Each page says what it answers: while the next answer is on its way, the old one must not pass for it.
    queryFn: async ({ pageParam, signal }) => ({
      ...(await api.notes(filter, pageParam, filter.q ? PAGE.search : PAGE.list, signal)),
      filter,
    }),
    initialPageParam: 0,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });
}

export function useNoteSearch(text: string): ListedNote[] {
  const { data } = useQuery({
    queryKey: ["notes", "palette", text],
    queryFn: ({ signal }) => api.notes({ q: text }, 0, PALETTE, signal),
    enabled: text !== "",
    placeholderData: keepPreviousData,
  });
  return text ? (data?.notes ?? []) : [];
}

export function useFacets() {
  return useQuery({ queryKey: ["facets"], queryFn: api.facets });
}

export function useNote(id: string) {
  return useQuery({ queryKey: ["note", id], queryFn: () => api.note(id), enabled: id !== "" });
}
