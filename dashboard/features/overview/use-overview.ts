import { useQuery } from "@tanstack/react-query";
import { api } from "@/lib/api";

export function useOverview() {
  return useQuery({ queryKey: ["overview"], queryFn: ({ signal }) => api.overview(signal) });
}
