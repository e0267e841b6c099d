"use client";

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { RefreshCw } from "lucide-react";
import { syncSummary } from "@/features/sync/sync-summary";
import { useSync } from "@/features/sync/use-sync";
import { buttonClass } from "@/components/ui/button";
import { ask } from "@/lib/api";

const DOTS = { good: "bg-good", warn: "bg-warn", bad: "bg-bad", off: "bg-edge" };

/** Sync is never a side effect: only this button and the palette's command start one. */
export function SyncButton() {
  const { data } = useQuery(ask.status());
  const { run, running } = useSync();
  const summary = data && syncSummary(data.sync);
  return (
    <div className="space-y-1.5">
      <button type="button" onClick={run} disabled={running} className={clsx(buttonClass(), "w-full")}>
        <RefreshCw aria-hidden className={running ? "animate-spin" : ""} />
        {running ? "Syncing" : "Sync now"}
      </button>
      <p role="status" className="flex h-5 items-center gap-1.5 px-1 text-xs text-soft">
        {summary && !running && <span aria-hidden className={clsx("size-1.5 rounded-full", DOTS[summary.state])} />}
        {running ? "asking the remote" : summary?.short}
      </p>
    </div>
  );
}
