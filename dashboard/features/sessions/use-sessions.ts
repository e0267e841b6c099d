import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { api } from "@/lib/api";

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
