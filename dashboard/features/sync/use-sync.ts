import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/lib/api";
import { tell } from "@/lib/notice";
import type { SyncResult } from "@/lib/types";

/** Sync as one action, with a sentence when it is done. */
export function useSync() {
  const queries = useQueryClient();
  const run = useMutation({
    mutationFn: api.sync,
    onSuccess: (result) => tell(describe(result), result.conflicted),
    onError: (error) => tell(error.message, true),
    onSettled: () => void queries.invalidateQueries(),
  });
  return { run: () => run.mutate(), running: run.isPending };
}

function describe(result: SyncResult): string {
  if (result.conflicted) return `Synced, but a note is held: ${result.detail}`;
  const moved = [result.pulled > 0 && "changes received", result.pushed && "yours sent"];
  const said = moved.filter(Boolean).join(", ");
  return said ? `Synced: ${said}.` : `Nothing to sync: ${result.detail}`;
}
