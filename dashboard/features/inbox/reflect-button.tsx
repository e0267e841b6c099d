"use client";

import { Sparkles } from "lucide-react";
import { useState } from "react";
import { Failure } from "@/components/loaded";
import { Title } from "@/components/title";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
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
    say: (result) => (result.applied ? result.detail : ""),
    then: (result) => result.applied && onClose(),
  });
  return (
    <Dialog title="Reflect on session notes" onClose={onClose}>
      <div className="space-y-4 p-5 pt-2 text-base">
        <p className="text-soft">
          Reflection gives a project’s session notes to the model named in Settings and proposes notes worth keeping.
          Nothing is written until you apply it; applying does not ask the model again.
        </p>
        {run.error && <Failure error={run.error} />}
        {run.data && <Plan plan={run.data} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Close</Button>
          {run.data?.projects.some((project) => project.notes.length > 0) ? (
            <Button look="primary" disabled={run.isPending} onClick={() => run.mutate(true)}>
              {run.isPending ? "Working" : "Apply"}
            </Button>
          ) : (
            <Button look="primary" disabled={run.isPending} onClick={() => run.mutate(false)}>
              {run.isPending ? "Working" : "Ask the model"}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

function Plan({ plan }: { plan: Reflection }) {
  return (
    <div role="status">
      <p>{plan.detail}</p>
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
