import { useAct } from "@/lib/act";
import { api } from "@/lib/api";
import { ago, plural } from "@/lib/format";
import { tell, type NoticeAction } from "@/lib/notice";
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
export const useSync = () => useAct(api.sync, { then: (result) => tell(...described(result)) });

const WHY: Record<string, string> = { network: "is out of reach", slow: "does not answer", login: "refuses the login" };

/** The notice about a sync: what it did or why it failed, and where to look if something is left to do. */
export function described(result: SyncResult): [string, boolean, NoticeAction?] {
  const show = (href: string) => ({ label: "Show it", href });
  const { failure, held, pulled, pushed, reached, waiting } = result;
  if (failure) return [`Not synced: the remote ${WHY[failure] ?? "has a problem"}.`, true, show("/machines/")];
  const moved = [pulled > 0 && "changes received", pushed && "yours sent"].filter(Boolean).join(", ");
  const done = moved ? `Synced: ${moved}.` : reached ? "Synced." : "Nothing sent: there is no remote.";
  const left = [held > 0 && `${plural(held, "note")} held`, waiting > 0 && `${plural(waiting, "file")} waiting`];
  const said = left.filter(Boolean).join(" and ");
  return said ? [`${done} In the inbox: ${said}.`, false, show("/inbox/")] : [done, false];
}
