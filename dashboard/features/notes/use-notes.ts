import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { api } from "@/lib/api";
import type { NoteFilter } from "@/lib/filter";
import type { ListedNote } from "@/lib/schemas/note";

const PAGE = 100;
const PALETTE = 8;

/** The notes that a filter leaves, page by page; the last answer stays while the next is on its way. */
export function useNotes(filter: NoteFilter) {
  return useInfiniteQuery({
    queryKey: ["notes", filter],
    queryFn: ({ pageParam, signal }) => api.notes(filter, pageParam, PAGE, signal),
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
