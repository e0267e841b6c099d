"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { KeyRound, RotateCcw } from "lucide-react";
import { useState } from "react";
import { Callout } from "@/components/callout";
import { DiffView } from "@/components/diff-view";
import { Empty } from "@/components/empty";
import { Loaded } from "@/components/loaded";
import { Button } from "@/components/ui/button";
import { Panel } from "@/components/ui/panel";
import { useRestore } from "@/features/history/use-restore";
import { NOW, VersionList, type Range } from "@/features/history/version-list";
import { api } from "@/lib/api";
import { shortCommit } from "@/lib/format";
import { tell } from "@/lib/notice";
import { useNoteDiff, useNoteHistory } from "@/lib/queries";
import type { Note } from "@/lib/schemas/note";
import type { NoteHistory } from "@/lib/schemas/history";

const NO_VERSIONS = (
  <Empty title="No versions yet.">A version is saved each time the note changes, and each time the store is committed.</Empty>
);

/** A note's versions: compare any two, or restore an old one. */
export function NoteHistoryView({ note }: { note: Note }) {
  return (
    <Loaded query={useNoteHistory(note.id)} isEmpty={(data) => data.versions.length === 0} empty={NO_VERSIONS}>
      {(history) => <Versions history={history} base={note.version} />}
    </Loaded>
  );
}

function Versions({ history, base }: { history: NoteHistory; base: string }) {
  const newest = history.versions[0]?.commit ?? NOW;
  const [range, setRange] = useState<Range>({
    from: history.uncommitted ? newest : (history.versions[1]?.commit ?? newest),
    to: history.uncommitted ? NOW : newest,
  });
  const restore = useRestore(history.id, base);
  const oldest = range.from === range.to;
  return (
    <>
    {history.versions.some((version) => version.credential) && <Kept id={history.id} />}
    <div className="grid grid-cols-1 gap-6 lg:grid-cols-[19rem_minmax(0,1fr)]">
      <VersionList history={history} range={range} onChange={setRange} />
      <Panel
        title={oldest ? `Version ${name(range.to)}` : `From ${name(range.from)} to ${name(range.to)}`}
        flush
        action={
          range.to !== NOW && (
            <Button small disabled={restore.isPending} onClick={() => restore.mutate(range.to)}>
              <RotateCcw aria-hidden /> Restore {shortCommit(range.to)}
            </Button>
          )
        }
      >
        <Compared id={history.id} range={range} />
      </Panel>
    </div>
    </>
  );
}

/** Texts with a credential that stay on this machine, for undo; they can be deleted. */
function Kept({ id }: { id: string }) {
  const queries = useQueryClient();
  const forget = useMutation({
    mutationFn: () => api.forgetTexts(id),
    onSuccess: () => {
      tell("Deleted the kept texts with a credential.");
      void queries.invalidateQueries();
    },
    onError: (error) => tell(error.message, true),
  });
  const action = (
    <Button small disabled={forget.isPending} onClick={() => forget.mutate()}>
      Delete these texts
    </Button>
  );
  return (
    <div className="mb-4">
      <Callout icon={<KeyRound aria-hidden />} action={action}>
        An earlier text with a credential is kept on this machine, so that changes can be undone. It was never synced.
      </Callout>
    </div>
  );
}

function Compared({ id, range }: { id: string; range: Range }) {
  return (
    <Loaded query={useNoteDiff(id, range.from, range.to)}>
      {(diff) => <DiffView before={range.from === range.to ? "" : diff.from.text} after={diff.to.text} />}
    </Loaded>
  );
}

function name(version: string): string {
  return version === NOW ? "now" : shortCommit(version);
}
