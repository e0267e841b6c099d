"use client";

import { useSearchParams } from "next/navigation";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { Select } from "@/components/ui/field";
import { Tabs } from "@/components/ui/tabs";
import { Choices } from "@/features/sessions/choices";
import { previewLink } from "@/lib/filter";
import { count } from "@/lib/format";
import { useGo } from "@/lib/go";
import { useFacets, usePreview } from "@/lib/queries";
import type { Preview } from "@/lib/schemas/session";

/** What a session that starts in a project now would be told, note by note with the reasons, and as text. */
export function PreviewPage() {
  const router = useGo();
  const asked = useSearchParams();
  const project = asked.get("project") ?? "global";
  const view = asked.get("view") === "text" ? "text" : "notes";
  const query = usePreview(project);
  const show = (next: string) =>
    router.push(next === "text" ? `${previewLink(project)}&view=text` : previewLink(project), { scroll: false });
  return (
    <>
      <PageHeader title="What would Claude be told now?" about={query.data && <About preview={query.data} />}>
        <ProjectChoice project={project} onChange={(next) => router.push(previewLink(next))} />
      </PageHeader>
      <Loaded query={query}>
        {(preview) => (
          <Tabs
            label="Preview"
            value={view}
            onChange={show}
            tabs={[
              { value: "notes", label: "Notes and reasons", content: <Choices preview={preview} /> },
              { value: "text", label: "The text itself", content: <Text text={preview.text} /> },
            ]}
          />
        )}
      </Loaded>
    </>
  );
}

function About({ preview }: { preview: Preview }) {
  const branch = preview.branch ? `, on branch ${preview.branch} in ${preview.folder}` : "";
  return `${count(preview.characters)} of ${count(preview.budget)} characters${branch}.`;
}

function ProjectChoice({ project, onChange }: { project: string; onChange: (project: string) => void }) {
  const known = useFacets().data?.projects.map((one) => one.name) ?? [];
  const names = [...new Set([project, "global", ...known])];
  return (
    <Select aria-label="Project" value={project} onChange={(event) => onChange(event.target.value)} className="max-w-72">
      {names.map((name) => (
        <option key={name} value={name}>
          {name === "global" ? "no project (global notes only)" : name}
        </option>
      ))}
    </Select>
  );
}

function Text({ text }: { text: string }) {
  return (
    // Long lines scroll inside the box, so it must be focusable.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre tabIndex={0} aria-label="The text" role="region" className="max-h-[70vh] overflow-auto rounded-lg border border-line bg-panel p-4 font-mono text-xs whitespace-pre-wrap">
      {text || "Nothing: not even the heading fits the budget."}
    </pre>
  );
}
