"use client";
/* eslint-disable jsx-a11y/no-autofocus, jsx-a11y/no-noninteractive-tabindex */

import { useQuery } from "@tanstack/react-query";
import { PencilLine } from "lucide-react";
import dynamic from "next/dynamic";
import { useState, type FormEvent, type ReactNode } from "react";
import { Callout } from "@/components/callout";
import { Failure } from "@/components/loaded";
import { Button } from "@/components/ui/button";
import { Field, Input, Select, Textarea } from "@/components/ui/field";
import { LeaveForm } from "@/features/notes/leave-form";
import { toDraft, type TypedNote } from "@/features/notes/typed-note";
import { ask, type NoteDraft } from "@/lib/api";
import { ago } from "@/lib/format";
import { useShortcuts } from "@/lib/keys";
import { SCOPES, TYPES } from "@/lib/types";

const Markdown = dynamic(() => import("@/components/markdown").then((module) => module.Markdown), { ssr: false });

const WHERE = { portable: "All machines", "machine-local": "This machine only" };

type Props = {
  typed: TypedNote;
  save: string;
  saving: boolean;
  error?: Error | null;
  notice?: ReactNode;
  onSave: (draft: NoteDraft) => void;
  onCancel: () => void;
};

/** A note being written, with its preview next to it. */
export function NoteForm({ typed, save, saving, error, notice, onSave, onCancel }: Props) {
  const { fields, set } = typed;
  const [leaving, setLeaving] = useState(false);
  const projects = useQuery(ask.facets()).data?.projects ?? [];
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (fields.title.trim() && !saving) onSave(toDraft(fields));
  };
  useShortcuts("In a form", { "mod+s": { does: "Save", run: submit }, "mod+enter": { does: "Save", run: submit } });
  return (
    <form onSubmit={submit} className="space-y-4">
      {typed.restoredFrom && <Restored typed={typed} />}
      {notice}
      {error && <Failure error={error} />}
      <Field label="Title">
        {(ids) => (
          // The page is for typing, and a key that goes nowhere could be a shortcut.
          <Input
            {...ids}
            autoFocus
            dir="auto"
            required
            value={fields.title}
            onChange={(event) => set({ title: event.target.value })}
            className="h-11! font-serif text-xl!"
          />
        )}
      </Field>
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Field label="Type">
          {(ids) => (
            <Select {...ids} value={fields.type} onChange={(event) => set({ type: event.target.value })}>
              {TYPES.map((type) => (
                <option key={type}>{type}</option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Available on">
          {(ids) => (
            <Select {...ids} value={fields.scope} onChange={(event) => set({ scope: event.target.value })}>
              {SCOPES.map((name) => (
                <option key={name} value={name}>
                  {WHERE[name]}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Project" className="max-lg:col-span-2">
          {(ids) => (
            <>
              <Input
                {...ids}
                list="projects"
                value={fields.project}
                onChange={(event) => set({ project: event.target.value })}
              />
              <datalist id="projects">
                {projects.map((project) => (
                  <option key={project.name} value={project.name} />
                ))}
              </datalist>
            </>
          )}
        </Field>
        <Field label="Tags, separated by commas" className="max-lg:col-span-2">
          {(ids) => <Input {...ids} value={fields.tags} onChange={(event) => set({ tags: event.target.value })} />}
        </Field>
      </div>
      <div className="grid gap-4 lg:grid-cols-2">
        <Field label="Text, in markdown">
          {(ids) => (
            <Textarea
              {...ids}
              dir="auto"
              value={fields.body}
              onChange={(event) => set({ body: event.target.value })}
              className="min-h-[24rem] resize-y font-mono text-sm! lg:min-h-[30rem]"
            />
          )}
        </Field>
        <section aria-label="Preview" className="flex min-w-0 flex-col gap-1">
          <h2 className="text-xs font-medium text-soft">Preview</h2>
          {/* It scrolls, so it must be focusable. */}
          <div
            role="group"
            aria-label="Preview of the text"
            tabIndex={0}
            className="flex-1 overflow-auto rounded-md border border-line bg-panel px-4 py-3 lg:max-h-[40rem]">
            {fields.body.trim() ? (
              <Markdown text={fields.body} />
            ) : (
              <p className="text-faint italic">Nothing to show yet.</p>
            )}
          </div>
        </section>
      </div>
      <div className="flex gap-2">
        <Button type="submit" look="primary" disabled={saving || !fields.title.trim()}>
          {save}
        </Button>
        <Button onClick={() => (typed.changed ? setLeaving(true) : onCancel())}>Cancel</Button>
      </div>
      {leaving && (
        <LeaveForm
          onStay={() => setLeaving(false)}
          onKeep={onCancel}
          onDiscard={() => {
            typed.discard();
            onCancel();
          }}
        />
      )}
    </form>
  );
}

/** Says that the form opened with an earlier draft, and how to discard it. */
function Restored({ typed }: { typed: TypedNote }) {
  return (
    <Callout
      icon={<PencilLine aria-hidden />}
      action={
        <Button small onClick={typed.discard}>
          Discard the draft
        </Button>
      }>
      This is your unsaved text from {ago(typed.restoredFrom)}.
    </Callout>
  );
}
