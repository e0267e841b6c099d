import clsx from "clsx";
import { Laptop } from "lucide-react";
import { memo } from "react";
import Link from "@/components/link";
import { Marked } from "@/components/marked";
import { Moment } from "@/components/moment";
import { Title } from "@/components/title";
import { TypeMark } from "@/components/type-mark";
import { noteLink } from "@/lib/filter";
import { plural } from "@/lib/format";
import { byMeaning, tellingSnippet } from "@/lib/highlight";
import type { ListedNote, NoteSummary } from "@/lib/types";

const NONE: ListedNote[] = [];

type Match = { terms: string[]; snippet: string; meaning: number | null };
type Props = { note: NoteSummary; match?: Match | null; folded?: ListedNote[] };

/** One note in a list: what it is, where it came from, and why it is here. */
export const NoteRow = memo(function NoteRow({ note, match, folded = NONE }: Props) {
  const terms = match?.terms ?? [];
  const snippet = tellingSnippet(note.title, match);
  return (
    <>
      <Link
        href={noteLink(note.id)}
        className="block border-b border-line px-4 py-2 outline-offset-[-2px] hover:bg-sunken">
        <span className="flex items-baseline gap-2">
          <TypeMark type={note.type} />
          <span
            className={clsx(
              "line-clamp-2 min-w-0 flex-1 font-medium sm:line-clamp-1",
              note.superseded && "text-faint line-through",
            )}>
            <Title text={note.title} terms={terms} />
          </span>
          {note.scope === "machine-local" && (
            <Laptop aria-label="stays on this machine" className="size-3.5 self-center text-faint" />
          )}
          <Moment at={note.updated_at} className="shrink-0 text-xs text-faint tabular-nums" />
        </span>
        {snippet && (
          <span className="mt-0.5 line-clamp-2 pl-[1.15rem] text-sm text-soft">
            <Marked text={snippet} terms={terms} />
          </span>
        )}
        <span className="mt-0.5 flex items-center gap-x-3 overflow-hidden pl-[1.15rem] text-xs whitespace-nowrap text-faint">
          <span className="truncate">{note.project}</span>
          <span className="shrink-0">{note.machine_id}</span>
          {match && byMeaning(match) && <span className="shrink-0 text-accent">by meaning</span>}
          {note.tags.slice(0, 4).map((tag) => (
            <span key={tag} className="hidden truncate sm:inline">
              #{tag}
            </span>
          ))}
        </span>
      </Link>
      {folded.length > 0 && (
        <details className="border-b border-line px-4 pl-9 text-xs text-faint">
          <summary className="py-1 hover:text-ink">{plural(folded.length, "more note")} with this title</summary>
          <ul className="pb-1.5">
            {folded.map((other) => (
              <li key={other.id}>
                <Link href={noteLink(other.id)} className="text-accent underline">
                  <Moment at={other.updated_at} />, {other.machine_id}
                </Link>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
});

/** A few notes in a panel. */
export function NoteRows({ notes }: { notes: NoteSummary[] }) {
  return (
    <ul className="-mb-px">
      {notes.map((note) => (
        <li key={note.id}>
          <NoteRow note={note} />
        </li>
      ))}
    </ul>
  );
}
