import { useQuery } from "@tanstack/react-query";
import { api } from "@/lib/api";

/** What every page shows besides its own content: how much is waiting where, and the state of sync. */
export function useStatus() {
  return useQuery({ queryKey: ["status"], queryFn: ({ signal }) => api.status(signal) });
}
