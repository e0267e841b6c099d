import Link from "@/components/link";
import { Title } from "@/components/title";
import { TypeMark } from "@/components/type-mark";
import { Panel } from "@/components/ui/panel";
import { noteLink } from "@/lib/filter";
import { count } from "@/lib/format";
import type { How, Preview, RankedNote } from "@/lib/schemas/session";

const GROUPS: { how: How; title: string }[] = [
  { how: "full", title: "Shown in full" },
  { how: "cut", title: "Shown, cut to fit" },
  { how: "title", title: "Shown by title" },
  { how: "room", title: "Left out: no room" },
  { how: "worth", title: "Left out: not useful enough here" },
];

/** The label for each part of a note's worth. */
const REASONS: Record<string, string> = {
  pinned: "pinned",
  basic: "basic to the project",
  "how-to": "a how-to",
  rules: "states rules",
  code: "contains commands",
  passing: "about a one-off event",
  branch: "about this branch",
  "other branch": "about another branch",
  moment: "about what was worked on last",
  "last session": "the last session",
  "old session": "an older session",
  used: "used before",
  source: "not written by a person",
  age: "old",
  everywhere: "applies everywhere",
};

/** The candidate notes, grouped by how they would be shown, each with the reasons for and against it. */
export function Choices({ preview }: { preview: Preview }) {
  const weighed = preview.notes.length;
  const unread = preview.own + preview.everywhere - weighed;
  return (
    <div className="space-y-4">
      {GROUPS.map(({ how, title }) => {
        const notes = preview.notes.filter((note) => note.how === how);
        return notes.length > 0 && <Group key={how} title={`${title} (${count(notes.length)})`} notes={notes} />;
      })}
      {weighed === 0 && <p className="text-base text-soft">No notes to show: only the heading is printed.</p>}
      {unread > 0 && (
        <p className="text-sm text-faint">
          {count(unread)} more are only counted: older notes that do not stand out, and sessions that were already reflected.
        </p>
      )}
    </div>
  );
}

function Group({ title, notes }: { title: string; notes: RankedNote[] }) {
  return (
    <Panel title={title} flush>
      <ul>
        {notes.map((note) => (
          <li key={note.id} className="border-b border-line px-4 py-2 last:border-0">
            <Link href={noteLink(note.id)} className="flex items-baseline gap-2 hover:underline">
              <TypeMark type={note.type} />
              <span className="min-w-0 flex-1 text-base font-medium"><Title text={note.title} /></span>
              <span className="text-xs text-faint tabular-nums">worth {signed(note.worth)}</span>
            </Link>
            <p className="pl-[1.15rem] text-xs text-faint">{reasons(note)}</p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function reasons(note: RankedNote): string {
  const parts = Object.entries(note.parts)
    .filter(([, amount]) => amount !== 0)
    .toSorted(([, one], [, other]) => Math.abs(other) - Math.abs(one));
  if (parts.length === 0) return "no reason for or against it";
  return parts.map(([name, amount]) => `${REASONS[name] ?? name} ${signed(amount)}`).join(", ");
}

function signed(amount: number): string {
  return `${amount < 0 ? "−" : "+"}${Math.abs(amount).toFixed(1)}`;
}
