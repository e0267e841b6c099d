import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { tell } from "@/lib/notice";
import type { SyncResult, SyncStep } from "@/lib/types";
import { runSync } from "@/lib/sync-stream";

/** Sync as one action: its progress while it runs, a sentence when it is done. */
export function useSync() {
  const queries = useQueryClient();
  const [step, setStep] = useState<SyncStep | null>(null);
  const run = useMutation({
    mutationFn: () => runSync(setStep),
    onSuccess: (result) => tell(describe(result), result.conflicted),
    onError: (error) => tell(error.message, true),
    onSettled: () => {
      setStep(null);
      void queries.invalidateQueries();
    },
  });
  return { run: () => run.mutate(), running: run.isPending, step };
}

function describe(result: SyncResult): string {
  if (result.conflicted) return `Synced, but a note is held: ${result.detail}`;
  const moved = [result.pulled > 0 && "changes received", result.pushed && "yours sent"];
  const said = moved.filter(Boolean).join(", ");
  return said ? `Synced: ${said}.` : `Nothing to sync: ${result.detail}`;
}
