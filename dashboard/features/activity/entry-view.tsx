import { FilePen, MessageSquareText, RefreshCw, Search, Sparkles, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import Link from "@/components/link";
import { Title } from "@/components/title";
import { TypeMark } from "@/components/type-mark";
import { reasonOf } from "@/features/projects/reasons";
import { noteLink } from "@/lib/filter";
import { clockTime, count, plural } from "@/lib/format";
import type { Entry, NoteType } from "@/lib/types";

const ICONS: Record<string, LucideIcon> = {
  told: MessageSquareText,
  searched: Search,
  wrote: FilePen,
  used: Sparkles,
  synced: RefreshCw,
};
const STARTS: Record<string, string> = {
  startup: "when it started",
  resume: "when it was resumed",
  compact: "after it was compacted",
  clear: "after it was cleared",
  fork: "when it was forked",
  sync: "when notes arrived",
};

/** One entry of a receipt: what a session was told and why, searched for, wrote or used, and when it synced. */
export function EntryView({ entry }: { entry: Entry }) {
  const Icon = ICONS[entry.kind] ?? Sparkles;
  const noRoom = entry.left_out.filter((note) => note.how === "room");
  const unfit = entry.left_out.filter((note) => note.how !== "room");
  return (
    <section className="rounded-lg border border-line bg-panel px-4 py-3">
      <h2 className="flex items-baseline gap-2 text-base font-medium">
        <Icon aria-hidden className="size-4 shrink-0 self-center text-accent" />
        <span className="min-w-0 flex-1">{heading(entry)}</span>
        {entry.at && <span className="text-xs font-normal text-faint tabular-nums">{clockTime(entry.at)}</span>}
      </h2>
      <Notes name="In full" notes={entry.full} />
      <Notes name="Cut short" notes={entry.cut} />
      <Notes name="By title" notes={entry.titles} />
      <Notes notes={entry.ids} />
      <Folded name="did not fit" notes={noRoom} />
      <Folded name="not useful enough here" notes={unfit} />
    </section>
  );
}

function heading(entry: Entry): string {
  if (entry.kind === "told") {
    const when = STARTS[entry.source ?? ""] ?? "";
    const rules = entry.rules ? `, ${plural(entry.rules, "rule")} among them` : "";
    return `Told ${count(entry.characters ?? 0)} characters of notes ${when}`.trim() + rules;
  }
  if (entry.kind === "searched") return `Searched for “${entry.query ?? ""}”`;
  if (entry.kind === "synced") return "Synced in the background";
  return entry.kind === "wrote"
    ? `Wrote ${plural(entry.ids.length, "note")}`
    : `Used ${plural(entry.ids.length, "note")}`;
}

type Named = { id: string; type: NoteType | null; title: string; why: string[] };

function Notes({ name, notes }: { name?: ReactNode; notes: Named[] }) {
  if (notes.length === 0) return null;
  return (
    <div className="mt-2">
      {name && <h3 className="text-xs text-faint">{name}</h3>}
      <ul>
        {notes.map((note) => (
          <li key={note.id} className="py-0.5 text-sm">
            <Link href={noteLink(note.id)} className="flex min-w-0 items-baseline gap-2 hover:underline">
              {note.type && <TypeMark type={note.type} />}
              {note.title ? <Title text={note.title} /> : <span className="text-faint italic">deleted since</span>}
            </Link>
            {note.why.length > 0 && (
              <p className="pl-[1.15rem] text-xs text-faint">{note.why.map(reasonOf).join(", ")}</p>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Folded({ name, notes }: { name: string; notes: Named[] }) {
  if (notes.length === 0) return null;
  return (
    <details className="mt-2 text-sm">
      <summary className="text-faint hover:text-ink">
        Left out: {plural(notes.length, "note")}, {name}
      </summary>
      <Notes notes={notes} />
    </details>
  );
}
