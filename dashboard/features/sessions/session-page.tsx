"use client";

import { Empty } from "@/components/empty";
import Link from "@/components/link";
import { Loaded } from "@/components/loaded";
import { Moment } from "@/components/moment";
import { Title } from "@/components/title";
import { Panel } from "@/components/ui/panel";
import { NoteRow } from "@/features/notes/note-row";
import { EntryView } from "@/features/sessions/entry-view";
import { figures } from "@/features/sessions/session-row";
import { noteLink, projectLink, sessionsLink } from "@/lib/filter";
import { ApiError } from "@/lib/http";
import { useSession } from "@/lib/queries";
import type { SessionDetail } from "@/lib/schemas/session";

/** One session: what it was told, searched for and wrote, in order, and its notes. */
export function SessionPage({ id }: { id: string }) {
  const query = useSession(id);
  if (query.error instanceof ApiError && query.error.status === 404) {
    return (
      <Empty page title="Session not found.">
        It has no note, and no receipt on this machine.{" "}
        <Link href="/sessions/" className="text-accent underline">
          All sessions
        </Link>
      </Empty>
    );
  }
  return <Loaded query={query}>{(session) => <Known session={session} />}</Loaded>;
}

function Known({ session }: { session: SessionDetail }) {
  return (
    <>
      <header className="mb-6 border-b border-line pb-4">
        <p className="mb-2 flex flex-wrap gap-x-3 text-sm text-faint">
          <Link href={session.project ? sessionsLink(session.project) : "/sessions/"} className="hover:text-ink hover:underline">
            Session
          </Link>
          {session.project && (
            <Link href={projectLink(session.project)} className="hover:text-ink hover:underline">
              {session.project}
            </Link>
          )}
          <Moment at={session.at} />
        </p>
        <h1 className="font-serif text-2xl leading-[1.15] font-medium tracking-[-0.012em]">
          {session.note ? <Link href={noteLink(session.note.id)}><Title text={session.note.title} /></Link> : title(session)}
        </h1>
        <p className="mt-2 text-sm text-faint">
          {sentence(figures(session))} <code className="font-mono text-xs">{session.id}</code>
          {session.folder && (
            <>
              {" "}
              in <code className="font-mono text-xs">{session.folder}</code>
            </>
          )}
        </p>
      </header>
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <ol aria-label="What happened" className="space-y-4">
          {session.entries.map((entry, place) => (
            <li key={place}>
              <EntryView entry={entry} />
            </li>
          ))}
          {session.entries.length === 0 && (
            <li>
              <Empty title="No receipt on this machine.">
                A receipt is written on the machine where the session ran, for the last few hundred sessions.
              </Empty>
            </li>
          )}
        </ol>
        <Panel title="Notes from this session" flush={session.left.length > 0}>
          {session.left.length === 0 ? (
            <p className="text-sm text-faint">No note yet.</p>
          ) : (
            <ul className="-mb-px">
              {session.left.map((note) => (
                <li key={note.id}>
                  <NoteRow note={note} />
                </li>
              ))}
            </ul>
          )}
        </Panel>
      </div>
    </>
  );
}

function title(session: SessionDetail): string {
  return session.state === "trivial" ? "A session with nothing worth saving" : "A session without a note";
}

function sentence(text: string): string {
  return text && `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
