import Link from "@/components/link";
import { Title } from "@/components/title";
import { TypeMark } from "@/components/type-mark";
import { writeDiary, type DiaryNote, type MachineDay } from "@/lib/diary";
import { commitLink } from "@/lib/filter";
import { clockTime, plural } from "@/lib/format";
import type { StoreCommit } from "@/lib/schemas/history";

/** What was learned and changed, day by day and machine by machine. */
export function Diary({ commits }: { commits: StoreCommit[] }) {
  return writeDiary(commits).map(({ day, machines }) => (
    <section key={day} aria-label={day} className="mb-6">
      <h2 className="mb-2 text-sm font-semibold text-faint">{day}</h2>
      <div className="space-y-3">
        {machines.map((machine) => (
          <MachineEntry key={machine.machine} entry={machine} />
        ))}
      </div>
    </section>
  ));
}

function MachineEntry({ entry }: { entry: MachineDay }) {
  const [from, to] = [clockTime(entry.from), clockTime(entry.to)];
  return (
    <section aria-label={entry.machine} className="overflow-hidden rounded-lg border border-line bg-panel">
      <header className="flex flex-wrap items-baseline gap-x-3 border-b border-line px-4 py-2 text-sm">
        <h3 className="font-semibold">{entry.machine}</h3>
        <span className="text-faint">{from === to ? from : `${from} to ${to}`}</span>
      </header>
      <ul>
        {entry.notes.map((note) => (
          <li key={note.change.path} className="border-b border-line last:border-0">
            <NoteEntry note={note} />
          </li>
        ))}
      </ul>
      {entry.more > 0 && <More entry={entry} />}
    </section>
  );
}

function NoteEntry({ note: { change, commit, times } }: { note: DiaryNote }) {
  return (
    <Link href={commitLink(commit)} className="flex items-baseline gap-2.5 px-4 py-2 outline-offset-[-2px] hover:bg-sunken">
      {change.type && <TypeMark type={change.type} />}
      <span className="line-clamp-2 min-w-0 flex-1">{change.id ? <Title text={change.title} /> : change.path}</span>
      <span className="shrink-0 text-xs text-faint">
        {change.action}
        {times > 1 && `, ${plural(times, "change")}`}
      </span>
    </Link>
  );
}

/** A large commit lists only its first notes here. */
function More({ entry }: { entry: MachineDay }) {
  const large = entry.commits.find((commit) => commit.files > commit.changes.length);
  return (
    <p className="border-t border-line px-4 py-2 text-sm">
      <Link href={commitLink(large?.commit ?? "")} className="text-accent underline">
        and {plural(entry.more, "more change")}
      </Link>
    </p>
  );
}
