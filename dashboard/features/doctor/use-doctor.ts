import { useQueries, useQuery } from "@tanstack/react-query";
import { api } from "@/lib/api";

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
