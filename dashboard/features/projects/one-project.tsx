"use client";

import { useQuery } from "@tanstack/react-query";
import { BookOpenText } from "lucide-react";
import { Empty } from "@/components/empty";
import { Fact, Facts } from "@/components/facts";
import Link from "@/components/link";
import { Loaded } from "@/components/loaded";
import { Moment } from "@/components/moment";
import { PageHeader } from "@/components/page-header";
import { Switch } from "@/components/switch";
import { buttonClass } from "@/components/ui/button";
import { Panel } from "@/components/ui/panel";
import { figures, SessionName } from "@/features/activity/event-row";
import { BriefingView, useCaptured } from "@/features/projects/briefing";
import { ask } from "@/lib/api";
import { activityLink, notesLink, sessionLink } from "@/lib/filter";
import { count, fileSize, plural } from "@/lib/format";
import type { Project } from "@/lib/types";

export function OneProject({ name }: { name: string }) {
  return (
    <Loaded
      query={useQuery(ask.project(name))}
      isEmpty={(project) => project.total === 0 && project.session_count === 0}
      empty={
        <Empty page title={`No note belongs to ${name}.`}>
          It gets its first note when a session in it ends, or when you write one.
        </Empty>
      }>
      {(project) => <Known project={project} />}
    </Loaded>
  );
}

/** What Claude is told in a project, and what you want to know before you work on it. */
function Known({ project }: { project: Project }) {
  const { captured, change } = useCaptured(project.key);
  return (
    <>
      <PageHeader
        title={project.key}
        about={project.aliases.length > 0 && `Also known as ${project.aliases.join(", ")}.`}>
        {project.key !== "global" && (
          <Switch label="Capture its sessions" on={captured} disabled={change.isPending} onChange={change.mutate} />
        )}
        <Link href={notesLink({ project: project.key })} className={buttonClass()}>
          <BookOpenText aria-hidden /> All notes
        </Link>
      </PageHeader>
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,5fr)_minmax(0,3fr)]">
        <BriefingView briefing={project.briefing} />
        <div className="space-y-5">
          <Size project={project} />
          <Sessions project={project} />
        </div>
      </div>
    </>
  );
}

function Sessions({ project }: { project: Project }) {
  const all = (
    <Link
      href={activityLink({ project: project.key, kind: "session" })}
      className="text-sm text-accent hover:underline">
      All {count(project.session_count)}
    </Link>
  );
  return (
    <Panel
      title="Latest sessions"
      flush={project.sessions.length > 0}
      action={project.session_count > project.sessions.length && all}>
      {project.sessions.length === 0 && <p className="text-sm text-faint">No session has a note or a receipt yet.</p>}
      <ul>
        {project.sessions.map((session) => (
          <li key={session.id} className="border-b border-line last:border-0">
            <Link href={sessionLink(session.id)} className="block px-4 py-2 outline-offset-[-2px] hover:bg-sunken">
              <span className="line-clamp-1 font-medium">
                <SessionName session={session} />
              </span>
              <span className="flex flex-wrap gap-x-3 text-xs text-faint">
                <Moment at={session.at} />
                <span>{figures(session)}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Size({ project }: { project: Project }) {
  const link = (filter: { type?: string; machine?: string }) => notesLink({ project: project.key, ...filter });
  return (
    <Panel title="Size">
      <Facts>
        <Fact name="Notes">
          {plural(project.total, "note")}
          {project.superseded > 0 && `, ${count(project.superseded)} superseded`}, {fileSize(project.size)}
        </Fact>
        <Fact name="Types">
          <Counts counts={project.by_type} href={(type) => link({ type })} />
        </Fact>
        <Fact name="Machines">
          <Counts counts={project.by_machine} of="from " href={(machine) => link({ machine })} />
        </Fact>
        {project.last && (
          <Fact name="Last change">
            <Moment at={project.last} />
          </Fact>
        )}
      </Facts>
    </Panel>
  );
}

type Named = { counts: Record<string, number>; of?: string; href: (name: string) => string };

function Counts({ counts, of = "", href }: Named) {
  return Object.entries(counts).map(([name, number], place) => (
    <span key={name}>
      {place > 0 && ", "}
      <Link href={href(name)} className="hover:underline">
        {count(number)} {of}
        {name}
      </Link>
    </span>
  ));
}
