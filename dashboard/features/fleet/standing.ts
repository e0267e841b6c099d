// How a machine stands, in one line. A machine is known here only by its commits until machines report themselves.
import { syncSummary, type SyncSummary } from "@/features/sync/sync-summary";
import { ago, plural } from "@/lib/format";
import type { Machine, SyncState } from "@/lib/schemas/fleet";

export type Standing = { state: SyncSummary["state"]; text: string };

export function standingOf(machine: Machine, sync: SyncState): Standing {
  if (machine.here) {
    const { state, short } = syncSummary(sync);
    return { state, text: short };
  }
  if (machine.last_seen === null) return { state: "off", text: "Never seen" };
  const seen = `Last change from it ${ago(machine.last_seen)}`;
  if (machine.since === 0) return { state: "good", text: `${seen}; nothing newer than that` };
  return { state: "off", text: `${seen}; ${plural(machine.since, "later commit")} it may not have yet` };
}
