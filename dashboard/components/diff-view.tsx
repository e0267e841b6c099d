import clsx from "clsx";
import { diffRows, type Row } from "@/lib/diff";
import { plural } from "@/lib/format";

const SIGNS = { same: " ", removed: "−", added: "+" } as const;
const LOOKS = {
  same: "text-soft",
  removed: "bg-bad-wash",
  added: "bg-good-wash",
} as const;

/** Two texts compared line by line, with the changed words marked. */
export function DiffView({ before, after }: { before: string; after: string }) {
  if (before === after) return <p className="p-4 text-sm text-faint">The two versions are the same.</p>;
  return (
    // It scrolls, so it must be focusable.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div tabIndex={0} className="overflow-x-auto py-2 font-mono text-xs leading-[1.65]" role="group" aria-label="Changes">
      {diffRows(before, after).map((row, place) => (
        <DiffRow key={place} row={row} />
      ))}
    </div>
  );
}

function DiffRow({ row }: { row: Row }) {
  if (row.kind === "folded") {
    return <p className="bg-sunken px-4 py-0.5 text-faint">{plural(row.lines, "unchanged line")}</p>;
  }
  return (
    <div className={clsx("flex min-h-[1.65em] px-4", LOOKS[row.kind])}>
      <span aria-hidden className="w-5 shrink-0 text-faint select-none">
        {SIGNS[row.kind]}
      </span>
      <span className="whitespace-pre-wrap">
        {row.kind !== "same" && <span className="sr-only">{row.kind}: </span>}
        {row.spans.map((span, place) => (
          <span
            key={place}
            className={clsx(
              span.changed && (row.kind === "added" ? "rounded-sm bg-good/25" : "rounded-sm bg-bad/25"),
            )}
          >
            {span.text}
          </span>
        ))}
      </span>
    </div>
  );
}
