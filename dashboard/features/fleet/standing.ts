// How a machine compares with this one, in one line, as of its last report.
import { syncSummary, type SyncSummary } from "@/features/sync/sync-summary";
import { ago, plural } from "@/lib/format";
import type { Machine, SyncState } from "@/lib/types";

export function standingOf(machine: Machine, machines: Machine[], sync: SyncState): SyncSummary {
  if (machine.here) return syncSummary(sync);
  const both = machines.filter((each) => each.here || each === machine);
  if (machine.agrees) return { state: "good", short: `Has the same notes as this machine${exception(both)}` };
  if (machine.behind === 0) return { state: "warn", short: "Its notes differ from this machine's" };
  return { state: "warn", short: `Has not seen changes made ${ago(machine.behind_since)}` };
}

/** A held note differs, although it is not pushed. */
function exception(machines: Machine[]): string {
  const held = machines.reduce((sum, machine) => sum + machine.held, 0);
  return held === 0 ? "" : `, except for ${plural(held, "held note")}`;
}

/** Which machines agree with this one, in one sentence. */
export function agreement(machines: Machine[]): string {
  const others = machines.filter((machine) => !machine.here);
  if (others.length === 0) return "No other machine has reported yet.";
  const lagging = others.filter((machine) => !machine.agrees).map((machine) => machine.name);
  if (lagging.length === 0) return `All machines had the same notes when they last reported${exception(machines)}.`;
  return `${lagging.join(" and ")} ${lagging.length === 1 ? "does" : "do"} not have the same notes as this machine.`;
}
