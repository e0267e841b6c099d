"use client";

import { Ask } from "@/components/ui/ask";
import { useAct } from "@/lib/act";
import { api } from "@/lib/api";

type Props = {
  note: { id: string; title: string; scope?: string; version?: string };
  onClose: () => void;
  onDeleted?: () => void;
};

export function DeleteNote({ note, onClose, onDeleted }: Props) {
  const remove = useAct(() => api.remove(note.id, note.version ?? null), {
    quiet: true,
    say: `Deleted “${note.title}”.`,
    undo: () => api.restore(note.id, {}, null),
    then: () => {
      onClose();
      onDeleted?.();
    },
  });
  const everywhere = note.scope === "portable" ? ", and on your other machines with the next sync" : "";
  return (
    <Ask
      title="Delete this note?"
      about={`“${note.title}” is deleted here now${everywhere}. You can restore it from Activity.`}
      confirm="Delete"
      cancel="Keep it"
      danger
      act={remove}
      onClose={onClose}
    />
  );
}
