import { BookOpenText, Eye } from "lucide-react";
import Link from "@/components/link";
import { PageHeader } from "@/components/page-header";
import { Title } from "@/components/title";
import { TypeMark } from "@/components/type-mark";
import { buttonClass } from "@/components/ui/button";
import { Panel } from "@/components/ui/panel";
import { NoteRow } from "@/features/notes/note-row";
import { ProjectFacts } from "@/features/project/project-facts";
import { SessionRow } from "@/features/sessions/session-row";
import { browseLink, noteLink, previewLink, sessionsLink } from "@/lib/filter";
import { count } from "@/lib/format";
import type { Project } from "@/lib/schemas/session";

const MORE = "text-sm text-accent hover:underline";

/** What you want to know about a project before you work on it. */
export function KnownProject({ project }: { project: Project }) {
  return (
    <>
      <PageHeader title={project.key} about={project.aliases.length > 0 && `Also known as ${project.aliases.join(", ")}.`}>
        <Link href={previewLink(project.key)} className={buttonClass()}>
          <Eye aria-hidden /> What would Claude be told now?
        </Link>
        <Link href={browseLink({ project: project.key })} className={buttonClass()}>
          <BookOpenText aria-hidden /> All notes
        </Link>
      </PageHeader>
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="space-y-5">
          <Fundamentals notes={project.fundamentals} />
          <Sessions project={project} />
        </div>
        <div className="space-y-5">
          <ProjectFacts project={project} />
          {project.review_count > 0 && <Reviews project={project} />}
        </div>
      </div>
    </>
  );
}

function Fundamentals({ notes }: { notes: Project["fundamentals"] }) {
  return (
    <Panel title="Fundamentals" flush={notes.length > 0}>
      {notes.length === 0 && (
        <p className="text-sm text-faint">
          None yet. This is the place for notes on how to build, run, test and release, for rules and decisions, and for pinned notes.
        </p>
      )}
      <ul>
        {notes.map((note) => (
          <li key={note.id} className="border-b border-line last:border-0">
            <Link href={noteLink(note.id)} className="flex items-baseline gap-2 px-4 py-2 hover:bg-sunken">
              <TypeMark type={note.type} />
              <span className="min-w-0 flex-1 font-medium"><Title text={note.title} /></span>
              {note.pinned && <span className="text-xs text-faint">pinned</span>}
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Sessions({ project }: { project: Project }) {
  const more = project.session_count > project.sessions.length && (
    <Link href={sessionsLink(project.key)} className={MORE}>
      All {count(project.session_count)}
    </Link>
  );
  return (
    <Panel title="Latest sessions" flush={project.sessions.length > 0} action={more}>
      {project.sessions.length === 0 && <p className="text-sm text-faint">No session has a note or a receipt yet.</p>}
      <ul className="-mb-px">
        {project.sessions.map((session) => (
          <li key={session.id}>
            <SessionRow session={session} dated />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Reviews({ project }: { project: Project }) {
  return (
    <Panel
      title={`To review (${count(project.review_count)})`}
      flush
      action={
        <Link href="/review/" className={MORE}>
          Review
        </Link>
      }
    >
      <ul className="-mb-px">
        {project.reviews.map((note) => (
          <li key={note.id}>
            <NoteRow note={note} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
