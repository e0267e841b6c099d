import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/lib/api";
import { tell } from "@/lib/notice";
import type { HeldNote } from "@/lib/schemas/fleet";
import { useTellWithUndo } from "@/lib/undo";

type Resolution = { choice: string; text: string | null };

/** Resolve a held note; the text before can be restored. */
export function useResolve(held: HeldNote) {
  const queries = useQueryClient();
  const tellWithUndo = useTellWithUndo();
  return useMutation({
    mutationFn: ({ choice, text }: Resolution) => api.resolve(held.id, choice, text),
    onSuccess: ({ undo, written }) => {
      void queries.invalidateQueries();
      const said = `Resolved “${held.title}”. The next sync updates the other machines.`;
      if (undo === null) return tell(said);
      return tellWithUndo(said, async () => {
        if (written !== null) await api.remove(written, null);
        await api.restore(held.id, { text: undo }, null);
      });
    },
  });
}
