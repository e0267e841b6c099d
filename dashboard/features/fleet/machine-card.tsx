import clsx from "clsx";
import Link from "@/components/link";
import { Moment } from "@/components/moment";
import { Title } from "@/components/title";
import { Panel } from "@/components/ui/panel";
import { standingOf } from "@/features/fleet/standing";
import { TypeBar } from "@/features/fleet/type-bar";
import { noteLink } from "@/lib/filter";
import { plural } from "@/lib/format";
import type { Machine, SyncState } from "@/lib/schemas/fleet";

const COLOURS = { good: "text-good", warn: "text-warn", bad: "text-bad", off: "text-soft" };

/** One machine: how it stands, what it wrote, what it learned last. */
export function MachineCard({ machine, sync }: { machine: Machine; sync: SyncState }) {
  const { machine_id, here, notes, commits, last_note } = machine;
  const standing = standingOf(machine, sync);
  return (
    <Panel className="h-full">
      <h2 className="flex items-baseline justify-between gap-3 font-serif text-lg font-medium">
        {machine_id}
        {here && <span className="font-sans text-xs font-medium text-accent">this machine</span>}
      </h2>
      <p className={clsx("text-sm", COLOURS[standing.state])}>{standing.text}</p>
      <p className="mb-3 text-sm text-faint">
        {plural(notes, "note")} written or changed in {plural(commits, "commit")}
      </p>
      <TypeBar counts={machine.by_type} />
      {last_note && (
        <p className="mt-3 text-sm">
          <span className="text-faint">Learned last, </span>
          <Moment at={last_note.at} className="text-faint" />
          <Link href={noteLink(last_note.id)} className="mt-0.5 block hover:underline">
            <Title text={last_note.title} />
          </Link>
        </p>
      )}
    </Panel>
  );
}
