import clsx from "clsx";
import { Fact, Facts } from "@/components/facts";
import { changedFields, comparePassages, splitNote, type Passage, type Span } from "@/lib/diff";
import { plural } from "@/lib/format";

type Names = { before: string; after: string };

const LOOKS = {
  change: { before: ["bg-bad-wash", "bg-bad/25"], after: ["bg-good-wash", "bg-good/25"] },
  clash: { before: ["bg-accent-wash", "bg-accent/25"], after: ["bg-episodic/10", "bg-episodic/30"] },
} as const;

type Props = { before: string; after: string; names: Names; look?: keyof typeof LOOKS };

/** Two versions of a note: first where their texts differ, then the fields of the front matter that do. */
export function ComparedNotes({ before, after, names, look = "change" }: Props) {
  const [one, other] = [splitNote(before), splitNote(after)];
  const fields = changedFields(one.fields, other.fields);
  if (one.body === other.body && fields.length === 0)
    return <p className="text-sm text-faint">The two versions are the same.</p>;
  return (
    <div className="space-y-4">
      {one.body !== other.body && <ComparedTexts before={one.body} after={other.body} names={names} look={look} />}
      {fields.length > 0 && (
        <Facts>
          {fields.map(([name, was, is]) => (
            <Fact key={name} name={name}>
              {was && <del className="rounded-sm bg-bad-wash px-1">{was}</del>}{" "}
              {is && <ins className="rounded-sm bg-good-wash px-1 no-underline">{is}</ins>}
            </Fact>
          ))}
        </Facts>
      )}
    </div>
  );
}

/** Two texts side by side where they differ, if there is room; otherwise stacked. */
export function ComparedTexts({ before, after, names, look = "change" }: Props) {
  const looks = LOOKS[look];
  return (
    <div className="@container space-y-2 text-sm">
      {comparePassages(before, after).map((passage, place) =>
        passage.kind === "same" ? (
          <Shared key={place} passage={passage} />
        ) : (
          <div key={place} className={clsx("grid gap-2", isWhole(passage, look) || "@3xl:grid-cols-2")}>
            {(look === "clash" || passage.before.length > 0) && (
              <Side name={names.before} rows={passage.before} look={looks.before} />
            )}
            {(look === "clash" || passage.after.length > 0) && (
              <Side name={names.after} rows={passage.after} look={looks.after} />
            )}
          </div>
        ),
      )}
    </div>
  );
}

/** Text that was only added or only removed takes the whole width. */
function isWhole(passage: Extract<Passage, { kind: "differs" }>, look: string): boolean {
  return look === "change" && (passage.before.length === 0 || passage.after.length === 0);
}

function Side({ name, rows, look: [area, mark] }: { name: string; rows: Span[][]; look: readonly [string, string] }) {
  return (
    <div role="group" aria-label={name} className={clsx("min-w-0 rounded-md px-3 py-2", area)}>
      <p className="text-xs font-medium text-soft">{name}</p>
      {rows.length === 0 && <p className="text-faint italic">nothing here</p>}
      {rows.slice(rows.findIndex((row) => row.length > 0)).map((row, place) => (
        <p key={place} dir="auto" className="min-h-[1.5em] whitespace-pre-wrap">
          {row.map((span, at) =>
            span.changed ? (
              <strong key={at} className={clsx("rounded-sm font-semibold", mark)}>
                {span.text}
              </strong>
            ) : (
              span.text
            ),
          )}
        </p>
      ))}
    </div>
  );
}

function Shared({ passage }: { passage: Extract<Passage, { kind: "same" }> }) {
  return (
    <div className="px-3 text-soft">
      <Lines lines={passage.before} />
      {passage.hidden > 0 && <p className="text-xs text-faint">{plural(passage.hidden, "line")} the same</p>}
      <Lines lines={passage.after} />
    </div>
  );
}

function Lines({ lines }: { lines: string[] }) {
  return lines.map((line, place) => (
    <p key={place} dir="auto" className="min-h-[1.5em] whitespace-pre-wrap">
      {line}
    </p>
  ));
}
