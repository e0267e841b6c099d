"use client";

import dynamic from "next/dynamic";
import { useState, type FormEvent, type ReactNode } from "react";
import { Failure } from "@/components/loaded";
import { Button } from "@/components/ui/button";
import { Field, Input, Select, Textarea } from "@/components/ui/field";
import { useFacets } from "@/features/notes/use-notes";
import type { NoteDraft } from "@/lib/api";
import { readTags } from "@/lib/format";
import { useShortcuts } from "@/lib/keys";
import { noteType, scope } from "@/lib/schemas/note";
import { useUnsavedWarning } from "@/lib/unsaved";

const Markdown = dynamic(() => import("@/components/markdown").then((module) => module.Markdown), { ssr: false });

const SCOPES = { portable: "All machines", "machine-local": "This machine only" };

type Props = {
  start: NoteDraft;
  save: string;
  saving: boolean;
  error?: Error | null;
  notice?: ReactNode;
  onSave: (draft: NoteDraft) => void;
  onCancel: () => void;
};

/** A note being written, with its page beside it. */
export function NoteForm({ start, save, saving, error, notice, onSave, onCancel }: Props) {
  const [draft, setDraft] = useState(start);
  const [tags, setTags] = useState(start.tags.join(", "));
  const projects = useFacets().data?.projects ?? [];
  const set = (change: Partial<NoteDraft>) => setDraft({ ...draft, ...change });
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (draft.title.trim() && !saving) onSave({ ...draft, tags: readTags(tags) });
  };
  useShortcuts({ "mod+s": submit, "mod+enter": submit });
  useUnsavedWarning(!saving && (draft.body !== start.body || draft.title !== start.title));
  return (
    <form onSubmit={submit} className="space-y-4">
      {notice}
      {error && <Failure error={error} />}
      <Field label="Title">
        {(ids) => (
          <Input {...ids} required value={draft.title} onChange={(event) => set({ title: event.target.value })} className="h-11! font-serif text-xl!" />
        )}
      </Field>
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Field label="Type">
          {(ids) => (
            <Select {...ids} value={draft.type} onChange={(event) => set({ type: event.target.value })}>
              {noteType.options.map((type) => (
                <option key={type}>{type}</option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Where it goes">
          {(ids) => (
            <Select {...ids} value={draft.scope} onChange={(event) => set({ scope: event.target.value })}>
              {scope.options.map((name) => (
                <option key={name} value={name}>
                  {SCOPES[name]}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Project" className="max-lg:col-span-2">
          {(ids) => (
            <>
              <Input {...ids} list="projects" value={draft.project} onChange={(event) => set({ project: event.target.value })} />
              <datalist id="projects">
                {projects.map((project) => (
                  <option key={project.name} value={project.name} />
                ))}
              </datalist>
            </>
          )}
        </Field>
        <Field label="Tags, parted by commas" className="max-lg:col-span-2">
          {(ids) => <Input {...ids} value={tags} onChange={(event) => setTags(event.target.value)} />}
        </Field>
      </div>
      <div className="grid gap-4 lg:grid-cols-2">
        <Field label="Text, in markdown">
          {(ids) => (
            <Textarea
              {...ids}
              value={draft.body}
              onChange={(event) => set({ body: event.target.value })}
              className="min-h-[24rem] resize-y font-mono text-[0.84rem]! lg:min-h-[30rem]"
            />
          )}
        </Field>
        <section aria-label="Preview" className="flex min-w-0 flex-col gap-1">
          <h2 className="text-[0.78rem] font-medium text-soft">Preview</h2>
          <div className="flex-1 overflow-auto rounded-md border border-line bg-panel px-4 py-3 lg:max-h-[40rem]">
            {draft.body.trim() ? <Markdown text={draft.body} /> : <p className="text-faint italic">Nothing to show yet.</p>}
          </div>
        </section>
      </div>
      <div className="flex gap-2">
        <Button type="submit" look="primary" disabled={saving || !draft.title.trim()}>
          {save}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
