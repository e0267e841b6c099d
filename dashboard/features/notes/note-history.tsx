"use client";

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { KeyRound, RotateCcw } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { Callout } from "@/components/callout";
import { ComparedNotes } from "@/components/compared";
import { Empty } from "@/components/empty";
import { Loaded } from "@/components/loaded";
import { Moment } from "@/components/moment";
import { Button } from "@/components/ui/button";
import { Panel } from "@/components/ui/panel";
import { useRestore } from "@/features/notes/use-restore";
import { useAct } from "@/lib/act";
import { api, ask } from "@/lib/api";
import { splitNote } from "@/lib/diff";
import { exactTime } from "@/lib/format";
import type { Note, NoteHistory } from "@/lib/types";

/** The file as it is on disk, committed or not. */
const NOW = "now";
const ACTIONS = { added: "Written", edited: "Edited", moved: "Moved", deleted: "Deleted", replaced: "Replaced here" };
const NO_VERSIONS = (
  <Empty title="No versions yet.">
    A version is saved each time the note changes, and each time the store is committed.
  </Empty>
);

type Row = { version: string; title: string; at: string; detail: string };

/** A note's versions: what each changed, or how it differs from another; an old one can be restored. */
export function NoteHistoryView({ note }: { note: Note }) {
  const asked = useSearchParams().get("to");
  return (
    <Loaded query={useQuery(ask.history(note.id))} isEmpty={(data) => data.versions.length === 0} empty={NO_VERSIONS}>
      {(history) => (
        <>
          {history.versions.some((version) => version.credential) && <KeptCredential id={note.id} />}
          <Versions key={asked} history={history} base={note.version} asked={asked} />
        </>
      )}
    </Loaded>
  );
}

function Versions({ history, base, asked }: { history: NoteHistory; base: string; asked: string | null }) {
  const rows = listRows(history);
  const [to, setTo] = useState((rows.find((row) => row.version === asked) ?? rows[0])?.version ?? NOW);
  const [from, setFrom] = useState("");
  const current = history.uncommitted ? NOW : history.versions.find((each) => each.action !== "replaced")?.commit;
  const restore = useRestore(history.id, base, to);
  const older = rows[rows.findIndex((row) => row.version === to) + 1]?.version ?? "";
  const compared = from || older;
  const name = (version: string) => rows.find((row) => row.version === version)?.title ?? "nothing";
  return (
    <div className="grid grid-cols-1 gap-6 lg:grid-cols-[17rem_minmax(0,1fr)]">
      <ul
        aria-label="Versions"
        className="max-h-[36rem] self-start overflow-y-auto rounded-lg border border-line bg-panel">
        {rows.map((row) => (
          <li key={row.version} className="border-b border-line last:border-0">
            <button
              type="button"
              aria-current={row.version === to}
              onClick={() => {
                setTo(row.version);
                setFrom("");
              }}
              className={clsx(
                "block w-full px-3 py-2 text-left text-sm outline-offset-[-2px] hover:bg-sunken",
                row.version === to && "bg-accent-wash",
              )}>
              <span className="flex items-baseline justify-between gap-2">
                <span className="font-medium">{row.title}</span>
                {row.at && <Moment at={row.at} className="text-xs text-faint" />}
              </span>
              <span className="block truncate text-xs text-faint">{row.detail}</span>
            </button>
          </li>
        ))}
      </ul>
      <Panel
        title={name(to)}
        action={
          <span className="flex flex-wrap items-center gap-2">
            <label className="flex items-center gap-1.5 text-sm text-faint">
              compared with
              <select
                value={compared}
                onChange={(event) => setFrom(event.target.value)}
                className="max-w-60 rounded border border-line bg-panel px-1 py-0.5 text-sm text-ink">
                {!older && <option value="">nothing</option>}
                {rows
                  .filter((row) => row.version !== to)
                  .map((row) => (
                    <option key={row.version} value={row.version}>
                      {row.title}
                      {row.at && `, ${exactTime(row.at)}`}
                    </option>
                  ))}
              </select>
            </label>
            {to !== current && (
              <Button small act={restore}>
                <RotateCcw aria-hidden /> Restore
              </Button>
            )}
          </span>
        }>
        <Loaded query={useQuery(ask.diff(history.id, compared, to))}>
          {(diff) =>
            diff.from && compared ? (
              <ComparedNotes before={diff.from} after={diff.to} names={{ before: "Before", after: "After" }} />
            ) : (
              <p dir="auto" className="whitespace-pre-wrap">
                {splitNote(diff.to).body || "No text."}
              </p>
            )
          }
        </Loaded>
      </Panel>
    </div>
  );
}

/** Texts with a credential that stay on this machine, for undo; they can be deleted. */
function KeptCredential({ id }: { id: string }) {
  const forget = useAct(() => api.forgetTexts(id), { say: "Deleted the kept texts with a credential." });
  const action = (
    <Button small act={forget}>
      Delete these texts
    </Button>
  );
  return (
    <Callout icon={<KeyRound aria-hidden />} action={action}>
      An earlier text with a credential is kept on this machine, so that changes can be undone. It was never synced.
    </Callout>
  );
}

function listRows(history: NoteHistory): Row[] {
  const committed = history.versions.map((version) => ({
    version: version.commit,
    title: ACTIONS[version.action],
    at: version.at,
    detail: version.credential ? "contains a credential; kept on this machine only" : `on ${version.machine_id}`,
  }));
  if (!history.uncommitted) return committed;
  return [{ version: NOW, title: "Now", at: "", detail: "not in the history yet" }, ...committed];
}
