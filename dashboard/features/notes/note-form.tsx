"use client";
/* eslint-disable jsx-a11y/no-autofocus, jsx-a11y/no-noninteractive-tabindex */

import { useQuery } from "@tanstack/react-query";
import { PencilLine } from "lucide-react";
import { useMemo, type FormEvent, type ReactNode } from "react";
import { Callout } from "@/components/callout";
import { Failure } from "@/components/loaded";
import { Markdown } from "@/components/markdown";
import { Button } from "@/components/ui/button";
import { Field, Input, Select, Suggest, Textarea } from "@/components/ui/field";
import { toDraft, type NoteFields, type TypedNote } from "@/features/notes/typed-note";
import { ask, type NoteDraft } from "@/lib/api";
import { ago } from "@/lib/format";
import { useShortcuts } from "@/lib/keys";
import { useSettled } from "@/lib/settled";
import { SCOPES, TYPES } from "@/lib/types";

const PREVIEW_LAG_MS = 150;
const WHERE: Record<string, string> = { portable: "All machines", "machine-local": "This machine only" };

type Props = {
  typed: TypedNote;
  save: string;
  /** What saves it; when that is done, the form is left. */
  sending: { isPending: boolean; isSuccess: boolean; error: Error | null; mutate: (draft: NoteDraft) => void };
  notice?: ReactNode;
  onCancel: () => void;
};

/** A note being written, with its preview next to it. */
export function NoteForm({ typed, save, sending, notice, onCancel }: Props) {
  const { fields, set } = typed;
  const saving = sending.isPending || sending.isSuccess;
  // A long text takes longer to render than a key takes to press.
  const shown = useSettled(fields.body, fields.body, PREVIEW_LAG_MS);
  const preview = useMemo(() => <Markdown text={shown} />, [shown]);
  const projects = useQuery(ask.facets()).data?.projects ?? [];
  const typing = (name: keyof NoteFields) => ({
    value: fields[name],
    onChange: (event: { target: { value: string } }) => set({ [name]: event.target.value }),
  });
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (fields.title.trim() && !saving) sending.mutate(toDraft(fields));
  };
  useShortcuts("In a form", { "mod+s": { does: "Save", run: submit }, "mod+enter": { does: "Save", run: submit } });
  return (
    <form onSubmit={submit} className="space-y-4">
      {typed.restoredFrom && <Restored typed={typed} />}
      {notice}
      {sending.error && <Failure error={sending.error} />}
      <Field label="Title">
        {/* The page is for typing, and a key that goes nowhere could be a shortcut. */}
        <Input {...typing("title")} autoFocus dir="auto" required className="h-11! font-serif text-xl!" />
      </Field>
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Field label="Type">
          <Select {...typing("type")} options={TYPES} />
        </Field>
        <Field label="Available on">
          <Select {...typing("scope")} options={SCOPES} nameOf={(scope) => WHERE[scope] ?? scope} />
        </Field>
        <Field label="Project" className="max-lg:col-span-2">
          <Suggest {...typing("project")} known={projects} />
        </Field>
        <Field label="Tags, separated by commas" className="max-lg:col-span-2">
          <Input {...typing("tags")} />
        </Field>
      </div>
      <div className="grid gap-4 lg:grid-cols-2">
        <Field label="Text, in markdown">
          <Textarea {...typing("body")} className="min-h-[24rem] resize-y lg:min-h-[30rem]" />
        </Field>
        <section aria-label="Preview" className="flex min-w-0 flex-col gap-1">
          <h2 className="text-xs font-medium text-soft">Preview</h2>
          {/* It scrolls, so it must be focusable. */}
          <div
            role="group"
            aria-label="Preview of the text"
            tabIndex={0}
            className="flex-1 overflow-auto rounded-md border border-line bg-panel px-4 py-3 lg:max-h-[40rem]">
            {fields.body.trim() ? preview : <p className="text-faint italic">Nothing to show yet.</p>}
          </div>
        </section>
      </div>
      <div className="flex gap-2">
        <Button type="submit" look="primary" disabled={saving || !fields.title.trim()}>
          {save}
        </Button>
        <Button onClick={onCancel}>{typed.changed ? "Keep as a draft" : "Cancel"}</Button>
        {typed.changed && (
          <Button
            look="danger"
            onClick={() => {
              typed.discard();
              onCancel();
            }}>
            Discard
          </Button>
        )}
      </div>
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
