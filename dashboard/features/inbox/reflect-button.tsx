"use client";

import { Sparkles } from "lucide-react";
import { useState } from "react";
import { Title } from "@/components/title";
import { Ask } from "@/components/ui/ask";
import { Button } from "@/components/ui/button";
import { useAct } from "@/lib/act";
import { api } from "@/lib/api";
import { plural } from "@/lib/format";
import type { Reflection } from "@/lib/types";

/** Reflection in two steps: first the model's proposal, then the writing. */
export function ReflectButton() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Sparkles aria-hidden /> Reflect
      </Button>
      {open && <ReflectDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function ReflectDialog({ onClose }: { onClose: () => void }) {
  const run = useAct(api.reflect, {
    quiet: true,
    say: (result) => (result.applied ? summary(result) : ""),
    then: (result) => result.applied && onClose(),
  });
  const proposed = run.data?.projects.some((project) => project.notes.length > 0) ?? false;
  return (
    <Ask
      title="Reflect on session notes"
      about="Reflection gives a project’s session notes to the model named in Settings and proposes notes worth keeping.
          Nothing is written until you apply it; applying does not ask the model again."
      confirm={run.isPending ? "Working" : proposed ? "Apply" : "Ask the model"}
      cancel="Close"
      act={{ ...run, mutate: () => run.mutate(proposed) }}
      onClose={onClose}>
      {run.data && <Plan plan={run.data} />}
    </Ask>
  );
}

function summary({ applied, projects }: Reflection): string {
  if (projects.length === 0) return "No project has enough session notes that were not yet reflected.";
  const notes = projects.reduce((sum, project) => sum + project.notes.length, 0);
  return `${plural(notes, "note")} ${applied ? "written" : "proposed"} for ${plural(projects.length, "project")}.`;
}

function Plan({ plan }: { plan: Reflection }) {
  return (
    <div role="status">
      <p>{summary(plan)}</p>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <ul tabIndex={0} aria-label="Proposed notes" className="mt-2 max-h-64 space-y-3 overflow-y-auto">
        {plan.projects.map((project) => (
          <li key={project.project}>
            <span className="font-medium">{project.project}</span>, from {plural(project.sources, "session note")}
            {project.problem && <p className="text-bad">{project.problem}</p>}
            <ul className="list-disc pl-5 text-soft">
              {project.notes.map((note) => (
                <li key={note.title}>
                  <Title text={note.title} /> ({note.type})
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </div>
  );
}
