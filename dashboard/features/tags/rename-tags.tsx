"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { Failure } from "@/components/loaded";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { Field, Input } from "@/components/ui/field";
import { useReport } from "@/features/notes/use-report";
import { api } from "@/lib/api";
import { useFacets } from "@/lib/queries";

type Props = { names: string[]; onClose: () => void; onDone: () => void };

/** One new name for one or more tags; if the name exists, they are merged into it. */
export function RenameTags({ names, onClose, onDone }: Props) {
  const queries = useQueryClient();
  const report = useReport();
  const [name, setName] = useState(names[0] ?? "");
  const taken = useFacets().data?.tags.some((tag) => tag.name === name.trim() && !names.includes(tag.name));
  const rename = useMutation({
    mutationFn: () => api.renameTags(names, name),
    onSuccess: (answer) => {
      report(answer, "Changed");
      void queries.invalidateQueries();
      onDone();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rename.mutate();
  };
  const merging = names.length > 1;
  const unchanged = !merging && name.trim() === names[0];
  return (
    <Dialog title={merging ? "Merge tags" : "Rename a tag"} onClose={onClose}>
      <form onSubmit={submit} className="space-y-4 p-5 pt-2">
        <p className="text-base text-soft">
          {merging ? `Every note with ${names.join(", ")} gets one tag instead.` : `Every note with ${names[0]} gets the new name.`}
        </p>
        <Field label="New name" hint={taken ? "This tag already exists: the two will be merged." : undefined}>
          {(ids) => <Input {...ids} value={name} onChange={(event) => setName(event.target.value)} />}
        </Field>
        {rename.error && <Failure error={rename.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={rename.isPending || !name.trim() || unchanged}>
            {merging ? "Merge" : "Rename"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
