// Commits as a diary: by day, then by machine, each note once with what was done to it.
import { dayOf } from "./format";
import { groupBy } from "./group";
import type { ChangedNote, StoreCommit } from "./schemas/history";

export type DiaryNote = { change: ChangedNote; commit: string; at: string; times: number };
export type MachineDay = { machine: string; from: string; to: string; notes: DiaryNote[]; more: number; commits: StoreCommit[] };
type Day = { day: string; machines: MachineDay[] };

/** `commits` are newest first, and so are the days, the machines within a day, and the notes. */
export function writeDiary(commits: StoreCommit[]): Day[] {
  const telling = commits.filter((commit) => commit.files > 0);
  return [...groupBy(telling, (commit) => dayOf(commit.at))].map(([name, made]) => ({
    day: name,
    machines: [...groupBy(made, (commit) => commit.machine_id)].map(([machine, own]) => machineDay(machine, own)),
  }));
}

function machineDay(machine: string, commits: StoreCommit[]): MachineDay {
  const shown = commits.flatMap((commit) => commit.changes.map((change) => ({ change, commit: commit.commit, at: commit.at })));
  const notes = [...groupBy(shown, ({ change }) => change.id || change.path)].map(([, [newest, ...older]]) => ({
    ...(newest as (typeof shown)[number]),
    times: older.length + 1,
  }));
  const listed = commits.reduce((sum, commit) => sum + commit.changes.length, 0);
  const all = commits.reduce((sum, commit) => sum + commit.files, 0);
  return { machine, from: commits.at(-1)?.at ?? "", to: commits[0]?.at ?? "", notes, more: all - listed, commits };
}
