"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Failure } from "@/components/loaded";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { api } from "@/lib/api";
import { useGo } from "@/lib/go";
import type { NoteSummary } from "@/lib/schemas/note";
import { useTellWithUndo } from "@/lib/undo";

type Props = {
  note: NoteSummary & { version?: string };
  onClose: () => void;
  /** Where to go instead of the list of notes. */
  onDeleted?: () => void;
};

export function DeleteNote({ note, onClose, onDeleted }: Props) {
  const router = useGo();
  const queries = useQueryClient();
  const tell = useTellWithUndo();
  const remove = useMutation({
    mutationFn: () => api.remove(note.id, note.version ?? null),
    onSuccess: () => {
      tell(`Deleted “${note.title}”.`, () => api.restore(note.id, {}, null));
      onClose();
      if (onDeleted) onDeleted();
      else router.push("/browse/");
      void queries.invalidateQueries();
    },
  });
  return (
    <Dialog title="Delete this note?" onClose={onClose}>
      <div className="space-y-4 p-5 pt-2">
        <p className="text-base text-soft">
          “{note.title}” is deleted here now{note.scope === "portable" && ", and on your other machines with the next sync"}. You can
          restore it from History, under Deleted notes.
        </p>
        {remove.error && <Failure error={remove.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Keep it</Button>
          <Button look="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
            Delete
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
