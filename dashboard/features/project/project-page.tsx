"use client";

import { useSearchParams } from "next/navigation";
import { Empty } from "@/components/empty";
import { Loaded } from "@/components/loaded";
import { AllProjects } from "@/features/project/all-projects";
import { KnownProject } from "@/features/project/known-project";
import { useProject } from "@/features/project/use-project";

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
