"use client";

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { RefreshCw } from "lucide-react";
import { syncSummary, useSync } from "@/features/sync/sync-summary";
import { Button } from "@/components/ui/button";
import { ask } from "@/lib/api";

const DOTS = { good: "bg-good", warn: "bg-warn", bad: "bg-bad", off: "bg-edge" };

/** Sync is never a side effect: only this button and the palette's command start one. */
export function SyncButton() {
  const { data } = useQuery(ask.status());
  const sync = useSync();
  const summary = data && syncSummary(data.sync);
  return (
    <div className="space-y-1.5">
      <Button act={sync} className="w-full">
        <RefreshCw aria-hidden className={sync.isPending ? "animate-spin" : ""} />
        {sync.isPending ? "Syncing" : "Sync now"}
      </Button>
      <p role="status" className="flex h-8 items-start gap-1.5 px-1 text-xs text-soft">
        {summary && !sync.isPending && (
          <span aria-hidden className={clsx("mt-[0.3rem] size-1.5 shrink-0 rounded-full", DOTS[summary.state])} />
        )}
        {sync.isPending ? "asking the remote" : summary?.short}
      </p>
    </div>
  );
}
