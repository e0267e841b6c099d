"use client";

import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { Empty } from "@/components/empty";
import Link from "@/components/link";
import { List } from "@/components/list";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { Switch } from "@/components/switch";
import { useCaptured } from "@/features/projects/briefing";
import { OneProject } from "@/features/projects/one-project";
import { ask } from "@/lib/api";
import { projectLink } from "@/lib/filter";
import { plural } from "@/lib/format";
import { useGo } from "@/lib/go";

const NOTHING = <Empty title="No projects yet.">A project appears with its first note.</Empty>;
const height = () => 44;

/** One project, or all of them. */
export function ProjectsPage() {
  const key = useSearchParams().get("key");
  return key ? <OneProject key={key} name={key} /> : <AllProjects />;
}

function AllProjects() {
  const router = useGo();
  const query = useQuery(ask.projects());
  return (
    <>
      <PageHeader
        title="Projects"
        about={query.data?.projects.length ? `${plural(query.data.projects.length, "project")}, the largest first` : ""}
      />
      <Loaded query={query} isEmpty={(data) => data.projects.length === 0} empty={NOTHING}>
        {(data) => (
          <List
            items={data.projects.map((project) => ({ ...project, id: project.name }))}
            label="Projects"
            estimate={height}
            open={(project) => router.push(projectLink(project.name))}>
            {(project) => (
              <div className="flex flex-wrap items-center gap-x-4 border-b border-line px-4 py-2 hover:bg-sunken">
                <Link href={projectLink(project.name)} className="min-w-0 flex-auto font-medium hover:underline">
                  {project.name}
                </Link>
                <span className="shrink-0 text-sm text-faint tabular-nums">{plural(project.count, "note")}</span>
                {project.name !== "global" && <Captured name={project.name} />}
              </div>
            )}
          </List>
        )}
      </Loaded>
    </>
  );
}

function Captured({ name }: { name: string }) {
  const { captured, change } = useCaptured(name);
  return <Switch label="capture" on={captured} disabled={change.isPending} onChange={change.mutate} />;
}
