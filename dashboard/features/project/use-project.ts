import { useQuery } from "@tanstack/react-query";
import { api } from "@/lib/api";

export function useProject(key: string) {
  return useQuery({ queryKey: ["project", key], queryFn: () => api.project(key) });
}
