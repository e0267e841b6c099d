"use client";

import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { Failure } from "@/components/loaded";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { Field, Input, Select } from "@/components/ui/field";
import type { Selection } from "@/components/list";
import { useReport } from "@/features/notes/report";
import { useAct } from "@/lib/act";
import { api, ask } from "@/lib/api";
import { plural } from "@/lib/format";
import { TYPES } from "@/lib/types";

export type BulkAct = "tag" | "untag" | "type" | "project" | "keep" | "delete";

type Words = { title: string; about: string; label?: string; button: string; done: string };

const WORDS: Record<BulkAct, Words> = {
  tag: {
    title: "Add a tag",
    about: "Every selected note gets this tag.",
    label: "Tag",
    button: "Add tag",
    done: "Tagged",
  },
  untag: {
    title: "Remove a tag",
    about: "Every selected note loses this tag.",
    label: "Tag",
    button: "Remove tag",
    done: "Changed",
  },
  type: {
    title: "Change the type",
    about: "Every selected note gets this type.",
    label: "Type",
    button: "Change type",
    done: "Changed",
  },
  project: {
    title: "Move to a project",
    about: "Every selected note moves to this project.",
    label: "Project",
    button: "Move",
    done: "Moved",
  },
  keep: {
    title: "Keep these notes",
    about: "You have checked these notes. They leave the inbox.",
    button: "Keep",
    done: "Kept",
  },
  delete: {
    title: "Delete these notes",
    about:
      "They are deleted here now, and on your other machines with the next sync. You can restore each from its history.",
    button: "Delete",
    done: "Deleted",
  },
};

/** One change to many notes: asks for its value, or for confirmation. */
export function BulkDialog({ act, selection, onClose }: { act: BulkAct; selection: Selection; onClose: () => void }) {
  const report = useReport();
  const words = WORDS[act];
  const [value, setValue] = useState(act === "type" ? "semantic" : "");
  const change = useAct(() => api.changeNotes([...selection.ids], act, words.label ? value : null), {
    quiet: true,
    then: (answer) => {
      report(answer, words.done, act === "delete");
      selection.take(answer.failed.map((one) => one.id));
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(undefined);
  };
  return (
    <Dialog title={words.title} onClose={onClose}>
      <form onSubmit={submit} className="space-y-4 p-5 pt-2">
        <p className="text-base text-soft">
          {plural(selection.ids.size, "note")} selected. {words.about}
        </p>
        {words.label && <ValueField act={act} label={words.label} value={value} onChange={setValue} />}
        {change.error && <Failure error={change.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            look={act === "delete" ? "danger" : "primary"}
            disabled={change.isPending || (Boolean(words.label) && !value.trim())}>
            {words.button}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

type ValueProps = { act: BulkAct; label: string; value: string; onChange: (value: string) => void };

function ValueField({ act, label, value, onChange }: ValueProps) {
  const facets = useQuery(ask.facets()).data;
  const known = (act === "project" ? facets?.projects : facets?.tags) ?? [];
  return (
    <Field label={label}>
      {(ids) =>
        act === "type" ? (
          <Select {...ids} value={value} onChange={(event) => onChange(event.target.value)}>
            {TYPES.map((type) => (
              <option key={type}>{type}</option>
            ))}
          </Select>
        ) : (
          <>
            <Input {...ids} list="known-values" value={value} onChange={(event) => onChange(event.target.value)} />
            <datalist id="known-values">
              {known.map((one) => (
                <option key={one.name} value={one.name} />
              ))}
            </datalist>
          </>
        )
      }
    </Field>
  );
}
