"use client";

import { Failure } from "@/components/loaded";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { useAct } from "@/lib/act";
import { api } from "@/lib/api";
import { useGo } from "@/lib/go";

type Props = {
  note: { id: string; title: string; scope?: string; version?: string };
  onClose: () => void;
  /** Where to go instead of the list of notes. */
  onDeleted?: () => void;
};

export function DeleteNote({ note, onClose, onDeleted }: Props) {
  const router = useGo();
  const remove = useAct(() => api.remove(note.id, note.version ?? null), {
    quiet: true,
    say: `Deleted “${note.title}”.`,
    undo: () => () => api.restore(note.id, {}, null),
    then: () => {
      onClose();
      if (onDeleted) onDeleted();
      else router.push("/notes/");
    },
  });
  return (
    <Dialog title="Delete this note?" onClose={onClose}>
      <div className="space-y-4 p-5 pt-2">
        <p className="text-base text-soft">
          “{note.title}” is deleted here now
          {note.scope === "portable" && ", and on your other machines with the next sync"}. You can restore it from
          Activity.
        </p>
        {remove.error && <Failure error={remove.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Keep it</Button>
          <Button look="danger" disabled={remove.isPending} onClick={() => remove.mutate(undefined)}>
            Delete
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
