"use client";

import { RotateCcw } from "lucide-react";
import { Empty } from "@/components/empty";
import { Loaded } from "@/components/loaded";
import { Moment } from "@/components/moment";
import { Button } from "@/components/ui/button";
import { useNoteHistory, useRestore } from "@/features/history/use-history";
import type { NoteHistory } from "@/lib/schemas/history";

/** A note that is not there: either it never was, or it was deleted and can be had back. */
export function DeletedNote({ id }: { id: string }) {
  const never = <Empty title="There is no such note.">No note has this id, and none ever had.</Empty>;
  return (
    <Loaded query={useNoteHistory(id)} isEmpty={(data) => data.versions.length === 0} empty={never}>
      {(history) => <Gone history={history} />}
    </Loaded>
  );
}

function Gone({ history }: { history: NoteHistory }) {
  const restore = useRestore(history.id, null);
  const last = history.versions.find((version) => version.change !== "deleted");
  const removal = history.versions[0];
  return (
    <Empty title="This note was deleted.">
      {removal?.change === "deleted" && (
        <p>
          <Moment at={removal.at} /> on {removal.machine}.
        </p>
      )}
      {last && (
        <Button className="mt-4" disabled={restore.isPending} onClick={() => restore.mutate(last.commit)}>
          <RotateCcw aria-hidden /> Restore its last version
        </Button>
      )}
    </Empty>
  );
}
