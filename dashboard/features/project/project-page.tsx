"use client";

import { useSearchParams } from "next/navigation";
import { Empty } from "@/components/empty";
import Link from "@/components/link";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { KnownProject } from "@/features/project/known-project";
import { projectLink } from "@/lib/filter";
import { plural } from "@/lib/format";
import { useFacets, useProject } from "@/lib/queries";

const NOTHING = <Empty title="No projects yet.">A project appears with its first note.</Empty>;

/** One project, or all of them. */
export function ProjectPage() {
  const key = useSearchParams().get("key");
  return key ? <OneProject key={key} name={key} /> : <AllProjects />;
}

function OneProject({ name }: { name: string }) {
  return (
    <Loaded
      query={useProject(name)}
      isEmpty={(project) => project.total === 0 && project.session_count === 0}
      empty={<Empty page title={`No note belongs to ${name}.`}>It gets its first note when a session in it ends, or when you write one.</Empty>}
    >
      {(project) => <KnownProject project={project} />}
    </Loaded>
  );
}

function AllProjects() {
  const query = useFacets();
  return (
    <>
      <PageHeader title="Projects" about={query.data && `${plural(query.data.projects.length, "project")}, the largest first`} />
      <Loaded query={query} isEmpty={(facets) => facets.projects.length === 0} empty={NOTHING}>
        {(facets) => (
          <ul className="overflow-hidden rounded-lg border border-line bg-panel">
            {facets.projects.map((project) => (
              <li key={project.name} className="border-b border-line last:border-0">
                <Link href={projectLink(project.name)} className="flex justify-between gap-4 px-4 py-2.5 hover:bg-sunken">
                  <span className="min-w-0 font-medium">{project.name}</span>
                  <span className="shrink-0 text-sm text-faint tabular-nums">{plural(project.count, "note")}</span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </>
  );
}
