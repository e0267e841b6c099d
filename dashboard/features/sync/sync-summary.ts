import { useAct } from "@/lib/act";
import { api } from "@/lib/api";
import { ago } from "@/lib/format";
import type { SyncResult, SyncState } from "@/lib/types";

export type SyncSummary = { state: "good" | "warn" | "bad" | "off"; short: string };

export const COLOURS = { good: "text-good", warn: "text-warn", bad: "text-bad", off: "text-soft" };

/** The state of sync in a few words, worst news first; held notes are in the inbox. */
export function syncSummary(sync: SyncState): SyncSummary {
  if (!sync.remote) return { state: "off", short: "This machine only" };
  if (sync.ahead > 0) {
    const since = sync.unpushed_since ? `, changed ${ago(sync.unpushed_since)}` : "";
    return { state: sync.late_push ? "bad" : "warn", short: `Not sent${since}` };
  }
  if (sync.dirty) return { state: sync.late_commit ? "bad" : "warn", short: "Not all is sent" };
  if (sync.failure) return { state: "warn", short: "The last sync failed" };
  if (sync.behind > 0) return { state: "warn", short: "Changes to fetch" };
  if (!sync.initialized) return { state: "warn", short: "Never synced" };
  return { state: "good", short: sync.last_sync ? `Synced ${ago(sync.last_sync)}` : "In sync" };
}

/** Sync as one action, with a sentence when it is done. */
export const useSync = () => useAct(api.sync, { say: describe });

function describe(result: SyncResult): string {
  if (result.conflicted) return `Synced, but a note is held: ${result.detail}`;
  const moved = [result.pulled > 0 && "changes received", result.pushed && "yours sent"];
  const said = moved.filter(Boolean).join(", ");
  return said ? `Synced: ${said}.` : `Nothing to sync: ${result.detail}`;
}
