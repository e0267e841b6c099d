import type { ReactNode } from "react";
import Link from "@/components/link";
import { Moment } from "@/components/moment";
import { Panel } from "@/components/ui/panel";
import { browseLink } from "@/lib/filter";
import { count, fileSize, plural } from "@/lib/format";
import type { Project } from "@/lib/schemas/session";

/** How large a project is, and how much of it sessions were given. */
export function ProjectFacts({ project }: { project: Project }) {
  const { use } = project;
  return (
    <Panel title="Size and use">
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 text-sm">
        <Fact name="Notes">
          {plural(project.total, "note")}
          {project.superseded > 0 && `, ${count(project.superseded)} superseded`}, {fileSize(project.size)}
        </Fact>
        <Fact name="Types">
          <Counts counts={project.by_type} href={(type) => browseLink({ project: project.key, type })} />
        </Fact>
        <Fact name="Machines">
          <Counts counts={project.by_machine} of="from " href={(machine) => browseLink({ project: project.key, machine })} />
        </Fact>
        {project.first && (
          <Fact name="First note">
            <Moment at={project.first} />
          </Fact>
        )}
        {project.last && (
          <Fact name="Last change">
            <Moment at={project.last} />
          </Fact>
        )}
        <Fact name="Injected here">
          {use.sessions > 0
            ? `${plural(use.sessions, "session")} on this machine, ${count(use.characters)} characters each on average`
            : "no session on this machine yet"}
        </Fact>
        {use.sessions > 0 && (
          <Fact name="Searched here">
            {plural(use.searches, "search", "searches")}, {plural(use.written, "note")} written
          </Fact>
        )}
      </dl>
    </Panel>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-faint">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
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
