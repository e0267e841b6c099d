import { ago, plural } from "@/lib/format";
import type { SyncState } from "@/lib/schemas/fleet";

export type SyncSummary = { state: "good" | "warn" | "bad" | "off"; short: string };

/** The state of sync in a few words, worst news first. */
export function syncSummary(sync: SyncState): SyncSummary {
  if (sync.held > 0) return { state: "bad", short: `${plural(sync.held, "note")} held` };
  if (!sync.remote) return { state: "off", short: "This machine only" };
  if (sync.ahead > 0) {
    const since = sync.unpushed_since ? ` since ${ago(sync.unpushed_since)}` : "";
    return { state: sync.late_push ? "bad" : "warn", short: `${plural(sync.ahead, "commit")} not pushed${since}` };
  }
  if (sync.dirty) return { state: sync.late_commit ? "bad" : "warn", short: "Changes to sync" };
  if (sync.failure) return { state: "warn", short: "Last sync failed" };
  if (sync.behind > 0) return { state: "warn", short: `${plural(sync.behind, "commit")} to fetch` };
  if (!sync.initialized) return { state: "warn", short: "Never synced" };
  return { state: "good", short: sync.last_sync ? `Synced ${ago(sync.last_sync)}` : "In sync" };
}
