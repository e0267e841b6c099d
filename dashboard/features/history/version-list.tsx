"use client";

import clsx from "clsx";
import { Moment } from "@/components/moment";
import { plainMessage, shortCommit } from "@/lib/format";
import type { NoteHistory } from "@/lib/schemas/history";

/** The file as it is on disk, committed or not. */
export const NOW = "now";

export type Range = { from: string; to: string };

type Row = { version: string; title: string; at: string; detail: string };
type Props = { history: NoteHistory; range: Range; onChange: (range: Range) => void };

/** The versions, newest first, with two columns of radio buttons to choose which to compare. */
export function VersionList({ history, range, onChange }: Props) {
  const rows = listRows(history);
  const older = (version: string) => rows[rows.findIndex((row) => row.version === version) + 1]?.version ?? version;
  return (
    <fieldset className="min-w-0 self-start overflow-hidden rounded-lg border border-line bg-panel">
      <legend className="sr-only">Versions to compare</legend>
      <div aria-hidden className="flex border-b border-line px-3 py-2 text-xs text-faint">
        <span className="w-9">from</span>
        <span className="w-9">to</span>
        <span>version</span>
      </div>
      <ul className="max-h-[32rem] overflow-y-auto">
        {rows.map((row) => (
          <li
            key={row.version}
            className={clsx("flex items-center border-b border-line px-3 py-2 last:border-0", row.version === range.to && "bg-accent-wash")}
          >
            {(["from", "to"] as const).map((side) => (
              <label key={side} className="grid min-h-8 w-9 place-items-center justify-items-start">
                <input
                  type="radio"
                  name={side}
                  aria-label={`compare ${side} ${row.title}`}
                  checked={range[side] === row.version}
                  onChange={() => onChange({ ...range, [side]: row.version })}
                  className="size-4 accent-accent"
                />
              </label>
            ))}
            <button
              type="button"
              onClick={() => onChange({ from: older(row.version), to: row.version })}
              className="min-w-0 flex-1 text-left text-sm"
            >
              <span className="flex items-baseline justify-between gap-2">
                <span className="font-medium">{row.title}</span>
                {row.at && <Moment at={row.at} className="text-xs text-faint" />}
              </span>
              <span className="block truncate text-xs text-faint">{row.detail}</span>
            </button>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

function listRows(history: NoteHistory): Row[] {
  const committed = history.versions.map((version) => ({
    version: version.commit,
    title: `${version.action} ${shortCommit(version.commit)}`,
    at: version.at,
    detail: version.credential
      ? "contains a credential; kept on this machine only"
      : `${version.machine_id}: ${plainMessage(version.message, version.machine_id)}`,
  }));
  if (!history.uncommitted) return committed;
  return [{ version: NOW, title: "now", at: "", detail: "not in git" }, ...committed];
}
