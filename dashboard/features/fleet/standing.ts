// How a machine compares with this one, in one line: by what it had when it was last heard.
import { syncSummary, type SyncSummary } from "@/features/sync/sync-summary";
import { ago, plural } from "@/lib/format";
import type { Machine, SyncState } from "@/lib/schemas/fleet";

export type Standing = { state: SyncSummary["state"]; text: string };

export function standingOf(machine: Machine, sync: SyncState): Standing {
  if (machine.here) {
    const { state, short } = syncSummary(sync);
    return { state, text: short };
  }
  if (machine.agrees) return { state: "good", text: "Has the same notes as this machine" };
  if (machine.behind === 0) return { state: "warn", text: "Has other notes than this machine" };
  return { state: "warn", text: `Lacks ${plural(machine.behind, "commit")}, the first from ${ago(machine.behind_since)}` };
}

/** A held note differs although it is not sent. */
function exception(machines: Machine[]): string {
  const held = machines.reduce((sum, machine) => sum + machine.held, 0);
  return held === 0 ? "" : `, but for ${plural(held, "held note")}`;
}

/** Who agrees with this machine, in one sentence. */
export function agreement(machines: Machine[]): string {
  const others = machines.filter((machine) => !machine.here);
  if (others.length === 0) return "No other machine has been heard of yet.";
  const lagging = others.filter((machine) => !machine.agrees).map((machine) => machine.machine_id);
  if (lagging.length === 0) return `All machines had the same notes when they were last heard${exception(machines)}.`;
  return `${lagging.join(", ")} ${lagging.length === 1 ? "does" : "do"} not have the same notes as this machine.`;
}
