"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Ask } from "@/components/ui/ask";
import { Field, Select, Suggest } from "@/components/ui/field";
import type { Selection } from "@/components/list";
import { useReport } from "@/features/notes/report";
import { useAct } from "@/lib/act";
import { api, ask } from "@/lib/api";
import { plural } from "@/lib/format";
import { TYPES } from "@/lib/types";

type Words = { name: string; about: string; label?: string; done: string };

/** What can be done to many notes at once; one with a label needs a value. */
export const BULK_ACTS = {
  tag: { name: "Add tag", about: "Every selected note gets this tag.", label: "Tag", done: "Tagged" },
  untag: { name: "Remove tag", about: "Every selected note loses this tag.", label: "Tag", done: "Changed" },
  type: { name: "Change type", about: "Every selected note gets this type.", label: "Type", done: "Changed" },
  project: { name: "Move", about: "Every selected note moves to this project.", label: "Project", done: "Moved" },
  keep: { name: "Keep", about: "You have checked these notes. They leave the inbox.", done: "Kept" },
  delete: {
    name: "Delete",
    about: "They are deleted here now, and on your other machines with the next sync. Activity can restore them.",
    done: "Deleted",
  },
} satisfies Record<string, Words>;
export type BulkAct = keyof typeof BULK_ACTS;

/** One change to many notes: asks for its value, or for confirmation. */
export function BulkDialog({ act, selection, onClose }: { act: BulkAct; selection: Selection; onClose: () => void }) {
  const report = useReport();
  const { name, about, label, done }: Words = BULK_ACTS[act];
  const [value, setValue] = useState(act === "type" ? "semantic" : "");
  const facets = useQuery(ask.facets()).data;
  const known = (act === "project" ? facets?.projects : facets?.tags) ?? [];
  const change = useAct(() => api.changeNotes([...selection.ids], act, label ? value : null), {
    quiet: true,
    then: (answer) => {
      report(answer, done, act === "delete");
      selection.take(answer.failed.map((one) => one.id));
      onClose();
    },
  });
  return (
    <Ask
      title={name}
      about={`${plural(selection.ids.size, "note")} selected. ${about}`}
      confirm={name}
      danger={act === "delete"}
      disabled={Boolean(label) && !value.trim()}
      act={change}
      onClose={onClose}>
      {label && (
        <Field label={label}>
          {act === "type" ? (
            <Select options={TYPES} value={value} onChange={(event) => setValue(event.target.value)} />
          ) : (
            <Suggest known={known} value={value} onChange={(event) => setValue(event.target.value)} />
          )}
        </Field>
      )}
    </Ask>
  );
}
