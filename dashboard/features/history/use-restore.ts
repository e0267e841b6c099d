import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/lib/api";
import { noteLink } from "@/lib/filter";
import { useGo } from "@/lib/go";
import { tell } from "@/lib/notice";

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
