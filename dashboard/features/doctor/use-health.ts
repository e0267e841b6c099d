import { useQuery } from "@tanstack/react-query";
import { api } from "@/lib/api";

/** The doctor's local checks: no network, cheap enough for every page. */
export function useHealth() {
  return useQuery({ queryKey: ["health"], queryFn: api.health });
}
