"use client";

import { Empty } from "@/components/empty";
import Link from "@/components/link";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { useFacets } from "@/features/notes/use-notes";
import { projectLink } from "@/lib/filter";
import { plural } from "@/lib/format";

const NOTHING = <Empty title="No projects yet.">A project appears with its first note.</Empty>;

export function AllProjects() {
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
