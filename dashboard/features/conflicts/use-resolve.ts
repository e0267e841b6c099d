import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/lib/api";
import { tell } from "@/lib/notice";
import type { HeldNote } from "@/lib/schemas/fleet";
import { useTellWithUndo } from "@/lib/undo";

type Resolution = { choice: string; text: string | null };

/** Resolve a held note; an undo brings the conflict back. */
export function useResolve(held: HeldNote) {
  const queries = useQueryClient();
  const tellWithUndo = useTellWithUndo();
  return useMutation({
    mutationFn: ({ choice, text }: Resolution) => api.resolve(held.id, choice, text),
    onSuccess: ({ undo }) => {
      void queries.invalidateQueries();
      const said = `Resolved “${held.title}”. The next sync updates the other machines.`;
      return undo ? tellWithUndo(said, () => api.unresolve(held.id)) : tell(said);
    },
  });
}
