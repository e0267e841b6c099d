import Link from "@/components/link";
import { Moment } from "@/components/moment";
import { TypeMark } from "@/components/type-mark";
import { Panel } from "@/components/ui/panel";
import { browseLink, noteLink } from "@/lib/filter";
import { count } from "@/lib/format";
import type { Machine } from "@/lib/schemas/fleet";

/** What each machine learned last. */
export function LearnedLast({ machines }: { machines: Machine[] }) {
  return (
    <Panel title="What each machine learned last" flush>
      <ul>
        {machines.map((machine) => (
          <li key={machine.machine_id} className="border-b border-line px-4 py-2.5 last:border-0">
            <p className="flex items-baseline justify-between gap-3 text-[0.82rem]">
              <Link href={browseLink({ machine: machine.machine_id })} className="font-medium hover:underline">
                {machine.machine_id}
                {machine.here && <span className="font-normal text-faint"> (here)</span>}
              </Link>
              <span className="text-faint">
                <Moment at={machine.last_note.updated_at} />, {count(machine.total)} in all
              </span>
            </p>
            <Link href={noteLink(machine.last_note.id)} className="mt-0.5 flex items-baseline gap-2 text-[0.92rem] hover:underline">
              <TypeMark type={machine.last_note.type} />
              <span className="line-clamp-2">{machine.last_note.title}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
