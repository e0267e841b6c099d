import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/lib/api";
import { noteLink } from "@/lib/filter";
import { useGo } from "@/lib/go";
import { tell } from "@/lib/notice";

export function useNoteHistory(id: string) {
  return useQuery({ queryKey: ["note", id, "history"], queryFn: () => api.noteHistory(id) });
}

export function useNoteDiff(id: string, from: string, to: string) {
  return useQuery({
    queryKey: ["note", id, "diff", from, to],
    queryFn: () => api.noteDiff(id, from, to),
    placeholderData: keepPreviousData,
  });
}

export function useStoreHistory(until: string) {
  return useInfiniteQuery({
    queryKey: ["history", until],
    queryFn: ({ pageParam }) => api.storeHistory(pageParam, until),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });
}

export function useRemoved() {
  return useQuery({ queryKey: ["removed"], queryFn: api.removed });
}

export function useCommit(commit: string) {
  return useQuery({ queryKey: ["commit", commit], queryFn: () => api.commit(commit) });
}

/** Restore a version of a note; for a deleted note, without a base, its last version. */
export function useRestore(id: string, base: string | null) {
  const queries = useQueryClient();
  const router = useGo();
  return useMutation({
    mutationFn: (commit: string | undefined) => api.restore(id, { commit }, base),
    onSuccess: () => {
      void queries.invalidateQueries();
      tell("Restored.");
      router.push(noteLink(id));
    },
    onError: (error) => tell(error.message, true),
  });
}
