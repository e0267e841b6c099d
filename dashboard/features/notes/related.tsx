import Link from "@/components/link";
import { Title } from "@/components/title";
import { TypeMark } from "@/components/type-mark";
import { noteLink } from "@/lib/filter";
import type { NoteLinks, NoteSummary } from "@/lib/types";

/** The notes that refer to this one, and similar notes. */
export function Related({ links }: { links: NoteLinks | undefined }) {
  if (!links) return null;
  return (
    <>
      <List title="Referenced by" notes={links.backlinks} />
      <List title="Similar notes" notes={links.similar} />
    </>
  );
}

function List({ title, notes }: { title: string; notes: NoteSummary[] }) {
  if (notes.length === 0) return null;
  return (
    <section aria-label={title} className="mt-5 border-t border-line pt-3 text-sm">
      <h2 className="text-faint">{title}</h2>
      <ul className="mt-1 space-y-1">
        {notes.map((note) => (
          <li key={note.id} className="flex items-baseline gap-2">
            <TypeMark type={note.type} />
            <Link href={noteLink(note.id)} className="min-w-0 text-accent underline">
              <Title text={note.title} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
