// Every question that the pages ask the server, one hook each. The server announces changes, so no page polls.
import { keepPreviousData, useInfiniteQuery, useQueries, useQuery } from "@tanstack/react-query";
import { api } from "./api";

export function useOverview() {
  return useQuery({ queryKey: ["overview"], queryFn: ({ signal }) => api.overview(signal) });
}

/** What every page shows besides its own content: how much is waiting where, and the state of sync. */
export function useStatus() {
  return useQuery({ queryKey: ["status"], queryFn: ({ signal }) => api.status(signal) });
}

/** The doctor's local checks: no network, cheap enough for every page. */
export function useHealth() {
  return useQuery({ queryKey: ["health"], queryFn: api.health });
}

/** The quick checks, and the names of those that take longer. */
export function useDoctor() {
  return useQuery({ queryKey: ["doctor"], queryFn: api.doctor });
}

/** The checks that read every file or contact another host: each arrives when it is done. */
export function useSlowChecks(names: string[]) {
  return useQueries({
    queries: names.map((name) => ({ queryKey: ["doctor", name], queryFn: () => api.check(name) })),
  });
}

export function useSettings() {
  return useQuery({ queryKey: ["settings"], queryFn: api.settings });
}

export function useMachines() {
  return useQuery({ queryKey: ["machines"], queryFn: api.machines });
}

export function useConflicts() {
  return useQuery({ queryKey: ["conflicts"], queryFn: api.conflicts });
}

export function useFacets() {
  return useQuery({ queryKey: ["facets"], queryFn: api.facets });
}

export function useProject(key: string) {
  return useQuery({ queryKey: ["project", key], queryFn: () => api.project(key) });
}

export function useNote(id: string) {
  return useQuery({ queryKey: ["note", id], queryFn: () => api.note(id), enabled: id !== "" });
}

/** The notes it refers to, those that refer to it, and similar notes. */
export function useNoteLinks(id: string) {
  return useQuery({ queryKey: ["note", id, "links"], queryFn: () => api.noteLinks(id) });
}

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

/** The review queue, page by page. */
export function useReview() {
  return useInfiniteQuery({
    queryKey: ["review"],
    queryFn: ({ pageParam }) => api.review(pageParam),
    initialPageParam: 0,
    getNextPageParam: (page) => page.next,
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

export function useCommit(commit: string) {
  return useQuery({ queryKey: ["commit", commit], queryFn: () => api.commit(commit) });
}

export function useRemoved() {
  return useQuery({ queryKey: ["removed"], queryFn: api.removed });
}

/** Sessions, the latest first, of one project or of all. */
export function useSessions(project: string) {
  return useInfiniteQuery({
    queryKey: ["sessions", project],
    queryFn: ({ pageParam }) => api.sessions(project, pageParam),
    initialPageParam: 0,
    getNextPageParam: (page) => page.next,
  });
}

export function useSession(id: string) {
  return useQuery({ queryKey: ["session", id], queryFn: () => api.sessionTold(id) });
}

/** What a session that starts in a project now would be told. */
export function usePreview(project: string) {
  return useQuery({ queryKey: ["preview", project], queryFn: () => api.preview(project), enabled: project !== "" });
}
