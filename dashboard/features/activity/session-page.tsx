"use client";

import { useQuery } from "@tanstack/react-query";
import { Empty } from "@/components/empty";
import Link from "@/components/link";
import { Loaded } from "@/components/loaded";
import { Markdown } from "@/components/markdown";
import { Moment } from "@/components/moment";
import { PageTitle } from "@/components/page-header";
import { Panel } from "@/components/ui/panel";
import { EntryView } from "@/features/activity/entry-view";
import { figures, SessionName } from "@/features/activity/event-row";
import { NoteRows } from "@/features/notes/note-row";
import { ask } from "@/lib/api";
import { activityLink, noteLink, projectLink } from "@/lib/filter";
import { isMissing } from "@/lib/http";
import type { SessionDetail } from "@/lib/types";

/** One session: what it was told and why, what it used, searched for and wrote, and its note. */
export function SessionPage({ id }: { id: string }) {
  const query = useQuery(ask.session(id));
  if (isMissing(query.error)) {
    return (
      <Empty page title="Session not found.">
        It has no note, and no receipt on this machine.{" "}
        <Link href={activityLink({ kind: "session" })} className="text-accent underline">
          All sessions
        </Link>
      </Empty>
    );
  }
  return <Loaded query={query}>{(session) => <Known session={session} />}</Loaded>;
}

function Known({ session }: { session: SessionDetail }) {
  const said = figures(session);
  const others = session.left.filter((note) => note.id !== session.note?.id);
  return (
    <>
      <header className="mb-6 border-b border-line pb-4">
        <p className="mb-2 flex flex-wrap gap-x-3 text-sm text-faint">
          <Link href={activityLink({ kind: "session" })} className="hover:text-ink hover:underline">
            Session
          </Link>
          {session.project && (
            <Link href={projectLink(session.project)} className="hover:text-ink hover:underline">
              {session.project}
            </Link>
          )}
          <Moment at={session.at} />
        </p>
        <PageTitle>
          <SessionName session={session} />
        </PageTitle>
        <p className="mt-2 text-sm text-faint">
          {said && `${said.charAt(0).toUpperCase()}${said.slice(1)}.`}
          {session.folder && (
            <>
              {" "}
              In <code className="font-mono text-xs">{session.folder}</code>.
            </>
          )}
        </p>
      </header>
      <div className="grid items-start gap-5 lg:grid-cols-2">
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
        <div className="space-y-5">
          <Panel
            title="Its note"
            action={
              session.note && (
                <Link href={noteLink(session.note.id)} className="text-sm text-accent underline">
                  Open
                </Link>
              )
            }>
            {session.note ? <Markdown text={session.body} /> : <p className="text-sm text-faint">No note yet.</p>}
          </Panel>
          {others.length > 0 && (
            <Panel title="Other notes from this session" flush>
              <NoteRows notes={others} />
            </Panel>
          )}
        </div>
      </div>
    </>
  );
}
