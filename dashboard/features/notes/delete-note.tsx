"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { Failure } from "@/components/loaded";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { api } from "@/lib/api";
import { tell } from "@/lib/notice";
import type { NoteSummary } from "@/lib/schemas/note";

type Props = {
  note: NoteSummary & { version?: string };
  onClose: () => void;
  /** Where to go instead of the list of notes. */
  onDeleted?: () => void;
};

export function DeleteNote({ note, onClose, onDeleted }: Props) {
  const router = useRouter();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api.remove(note.id, note.version ?? null),
    onSuccess: () => {
      tell(`Deleted “${note.title}”.`);
      onClose();
      if (onDeleted) onDeleted();
      else router.push("/browse/");
      void queries.invalidateQueries();
    },
  });
  return (
    <Dialog title="Delete this note?" onClose={onClose}>
      <div className="space-y-4 p-5 pt-2">
        <p className="text-[0.92rem] text-soft">
          “{note.title}” leaves this machine now and the others with the next sync.{" "}
          {note.scope === "portable"
            ? "Versions that were synced stay in the history and can be restored from there."
            : "It was never synced, so there is no history to restore it from."}
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
