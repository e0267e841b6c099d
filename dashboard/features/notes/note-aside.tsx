import Link from "@/components/link";
import type { ReactNode } from "react";
import { Moment } from "@/components/moment";
import { Title } from "@/components/title";
import { CopyNote } from "@/features/notes/copy-note";
import { Related } from "@/features/notes/related";
import { browseLink, noteLink, sessionLink } from "@/lib/filter";
import { percent } from "@/lib/format";
import type { Note, NoteLinks } from "@/lib/schemas/note";

const SOURCES: Record<string, string> = {
  human: "written on purpose",
  "session-end": "captured from a session",
  reflection: "distilled by reflection",
  import: "imported",
};

/** Where a note comes from and how far to trust it. */
export function NoteAside({ note, links }: { note: Note; links: NoteLinks | undefined }) {
  return (
    <aside aria-label="About this note" className="text-sm">
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 lg:grid-cols-1 lg:gap-y-3">
        <Fact name="Source">{SOURCES[note.prov_source] ?? note.prov_source}</Fact>
        {note.prov_model && <Fact name="Model">{note.prov_model}</Fact>}
        <Fact name="Confidence">{percent(note.confidence)}</Fact>
        <Fact name="Machine">
          <Link href={browseLink({ machine: note.machine_id })} className="hover:underline">
            {note.machine_id}
          </Link>
        </Fact>
        <Fact name="Scope">{note.scope === "portable" ? "all machines" : "this machine only"}</Fact>
        <Fact name="Created">
          <Moment at={note.created_at} />
        </Fact>
        {note.tags.length > 0 && (
          <Fact name="Tags">
            <span className="flex flex-wrap gap-1.5">
              {note.tags.map((tag) => (
                <Link
                  key={tag}
                  href={browseLink({ tag })}
                  className="rounded-full border border-line bg-panel px-2 text-xs hover:border-edge"
                >
                  {tag}
                </Link>
              ))}
            </span>
          </Fact>
        )}
        {note.replaces.length > 0 && (
          <Fact name="Replaces">
            {note.replaces.map((old) => (
              <Link key={old.id} href={noteLink(old.id)} className="block text-accent underline">
                <Title text={old.title} />
              </Link>
            ))}
          </Fact>
        )}
        {note.prov_session && (
          <Fact name="Session">
            <Link href={sessionLink(note.prov_session)} className="text-accent underline">
              <code className="font-mono text-xs">{note.prov_session}</code>
            </Link>
          </Fact>
        )}
        <Fact name="File">
          <code className="font-mono text-xs text-soft">{note.path}</code>
        </Fact>
      </dl>
      <Related links={links} />
      <CopyNote note={note} />
    </aside>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="contents lg:block">
      <dt className="text-faint">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}
