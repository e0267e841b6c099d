import { useQuery } from "@tanstack/react-query";
import { Copy } from "lucide-react";
import Link from "@/components/link";
import { Fact, Facts } from "@/components/facts";
import { Moment } from "@/components/moment";
import { Title } from "@/components/title";
import { Related } from "@/features/notes/related";
import { ask } from "@/lib/api";
import { noteLink, notesLink, sessionLink } from "@/lib/filter";
import { percent } from "@/lib/format";
import { copy } from "@/lib/notice";
import type { Note, NoteLinks } from "@/lib/types";

const SOURCES: Record<string, string> = {
  human: "written on purpose",
  "session-end": "captured from a session",
  reflection: "distilled by reflection",
  import: "imported",
};

/** Where a note comes from and how far to trust it. */
export function NoteAside({ note, links }: { note: Note; links: NoteLinks | undefined }) {
  const root = useQuery(ask.status()).data?.root;
  return (
    <aside aria-label="About this note" className="text-sm">
      <Facts className="lg:grid-cols-1 lg:gap-y-0 lg:[&_dd]:mb-2.5">
        <Fact name="Source">{SOURCES[note.prov_source] ?? note.prov_source}</Fact>
        {note.prov_model && <Fact name="Model">{note.prov_model}</Fact>}
        <Fact name="Confidence">{percent(note.confidence)}</Fact>
        <Fact name="Machine">
          <Link href={notesLink({ machine: note.machine_id })} className="hover:underline">
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
                  href={notesLink({ tags: tag })}
                  className="rounded-full border border-line bg-panel px-2 text-xs hover:border-edge">
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
              what it was told, used and wrote
            </Link>
          </Fact>
        )}
        <Fact name="File">
          <code className="font-mono text-xs text-soft">{note.path}</code>{" "}
          <button
            type="button"
            aria-label="Copy the path"
            disabled={!root}
            onClick={() => void copy(`${root}/${note.path}`, "Copied the path.")}
            className="align-middle text-faint hover:text-ink">
            <Copy aria-hidden className="size-3.5" />
          </button>
        </Fact>
      </Facts>
      <Related links={links} />
    </aside>
  );
}
