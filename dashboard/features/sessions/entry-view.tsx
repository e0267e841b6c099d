import { FilePen, MessageSquareText, RefreshCw, Search, Sparkles, type LucideIcon } from "lucide-react";
import Link from "@/components/link";
import { Title } from "@/components/title";
import { TypeMark } from "@/components/type-mark";
import { noteLink } from "@/lib/filter";
import { clockTime, count, plural } from "@/lib/format";
import type { Entry, NamedNote } from "@/lib/schemas/session";

const ICONS: Record<string, LucideIcon> = { told: MessageSquareText, searched: Search, wrote: FilePen, used: Sparkles, synced: RefreshCw };
const STARTS: Record<string, string> = { startup: "when it started", resume: "when it was resumed", compact: "after it was compacted", clear: "after it was cleared", fork: "when it was forked" };

/** One entry of a receipt: what a session was told, searched for, wrote or used, and when it synced. */
export function EntryView({ entry }: { entry: Entry }) {
  const Icon = ICONS[entry.kind] ?? Sparkles;
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
      <LeftOut entry={entry} />
    </section>
  );
}

function heading(entry: Entry): string {
  if (entry.kind === "told") {
    const when = STARTS[entry.source ?? ""] ?? "";
    return `Given ${count(entry.characters ?? 0)} characters of notes ${when}`.trim();
  }
  if (entry.kind === "searched") return `Searched for “${entry.query ?? ""}”`;
  if (entry.kind === "synced") return "Synced in the background";
  return entry.kind === "wrote" ? `Wrote ${plural(entry.ids.length, "note")}` : `Used ${plural(entry.ids.length, "note")}`;
}

function Notes({ name, notes }: { name?: string; notes: NamedNote[] }) {
  if (notes.length === 0) return null;
  return (
    <div className="mt-2">
      {name && <h3 className="text-xs text-faint">{name}</h3>}
      <ul>
        {notes.map((note) => (
          <li key={note.id} className="flex items-baseline gap-2 py-0.5 text-sm">
            {note.type && <TypeMark type={note.type} />}
            <Link href={noteLink(note.id)} className="min-w-0 hover:underline">
              {note.title ? <Title text={note.title} /> : <span className="text-faint italic">deleted since ({note.id})</span>}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

function LeftOut({ entry }: { entry: Entry }) {
  const reasons = [
    entry.no_room && `${plural(entry.no_room, "note")} that did not fit`,
    entry.little_worth && `${plural(entry.little_worth, "note")} not useful enough`,
  ].filter(Boolean);
  if (entry.kind !== "told" || reasons.length === 0) return null;
  return <p className="mt-2 text-sm text-faint">Left out: {reasons.join(", ")}.</p>;
}
