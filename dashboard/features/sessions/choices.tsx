import Link from "@/components/link";
import { Title } from "@/components/title";
import { TypeMark } from "@/components/type-mark";
import { Panel } from "@/components/ui/panel";
import { noteLink } from "@/lib/filter";
import { count } from "@/lib/format";
import type { How, Preview, RankedNote } from "@/lib/schemas/session";

const GROUPS: { how: How; title: string }[] = [
  { how: "full", title: "Told in full" },
  { how: "cut", title: "Told, cut to fit" },
  { how: "title", title: "Told by title" },
  { how: "room", title: "Left out: no room" },
  { how: "worth", title: "Left out: little worth here and now" },
];

/** What each part of a note's worth is called on the page. */
const REASONS: Record<string, string> = {
  pinned: "pinned",
  basic: "basic to the project",
  "how-to": "a how-to",
  rules: "lays down rules",
  code: "holds commands",
  passing: "tells of something that has passed",
  branch: "about this branch",
  "other branch": "about another branch",
  moment: "about what was worked on last",
  "last session": "the last session",
  "old session": "an older session",
  used: "used before",
  source: "not written by a person",
  age: "old",
  everywhere: "holds everywhere",
};

/** The notes that were weighed, by what became of them, each with what spoke for and against it. */
export function Choices({ preview }: { preview: Preview }) {
  const weighed = preview.notes.length;
  const unread = preview.own + preview.everywhere - weighed;
  return (
    <div className="space-y-4">
      {GROUPS.map(({ how, title }) => {
        const notes = preview.notes.filter((note) => note.how === how);
        return notes.length > 0 && <Group key={how} title={`${title} (${count(notes.length)})`} notes={notes} />;
      })}
      {weighed === 0 && <p className="text-base text-soft">There is no note to tell: only the heading is printed.</p>}
      {unread > 0 && (
        <p className="text-sm text-faint">
          {count(unread)} more are only counted: older notes that nothing singles out, and sessions that were reflected on.
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
  if (parts.length === 0) return "nothing speaks for or against it";
  return parts.map(([name, amount]) => `${REASONS[name] ?? name} ${signed(amount)}`).join(", ");
}

function signed(amount: number): string {
  return `${amount < 0 ? "−" : "+"}${Math.abs(amount).toFixed(1)}`;
}
