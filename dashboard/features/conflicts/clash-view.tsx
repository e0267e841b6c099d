import clsx from "clsx";
import { comparePassages, type Passage } from "@/lib/clash";
import type { Span } from "@/lib/diff";
import { plural } from "@/lib/format";

type Props = { mine: string; theirs: string; names: { mine: string; theirs: string } };

/** Where two texts clash: side by side if there is room, otherwise stacked. */
export function ClashView({ mine, theirs, names }: Props) {
  return (
    <div className="@container space-y-2">
      {comparePassages(mine, theirs).map((passage, place) =>
        passage.kind === "same" ? (
          <Shared key={place} passage={passage} />
        ) : (
          <div key={place} className="grid gap-2 @3xl:grid-cols-2">
            <Side name={names.mine} rows={passage.mine} look="bg-accent-wash" mark="bg-accent/25" />
            <Side name={names.theirs} rows={passage.theirs} look="bg-episodic/10" mark="bg-episodic/30" />
          </div>
        ),
      )}
    </div>
  );
}

type SideProps = { name: string; rows: Span[][]; look: string; mark: string };

function Side({ name, rows, look, mark }: SideProps) {
  return (
    <section aria-label={name} className={clsx("min-w-0 rounded-md px-3 py-2", look)}>
      <h4 className="text-xs font-medium text-soft">{name}</h4>
      {rows.length === 0 && <p className="text-faint italic">nothing here</p>}
      {rows.map((row, place) => (
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
    </section>
  );
}

function Shared({ passage }: { passage: Extract<Passage, { kind: "same" }> }) {
  return (
    <div className="px-3 text-soft">
      <Lines lines={passage.before} />
      {passage.hidden > 0 && <p className="text-xs text-faint">{plural(passage.hidden, "line")} the same on both sides</p>}
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
