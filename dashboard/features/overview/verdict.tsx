import clsx from "clsx";
import { Fragment } from "react";
import { syncSummary } from "@/features/sync/sync-summary";
import { ago, count, plural } from "@/lib/format";
import type { Overview } from "@/lib/schemas/health";

const COLOURS = { good: "text-good", warn: "text-warn", bad: "text-bad", off: "text-soft" };

type Claim = { text: string; state: keyof typeof COLOURS };

/** The state of the memory as one sentence, in the largest type on the page. */
export function Verdict({ data }: { data: Overview }) {
  const [healthy, synced, growing] = claims(data);
  return (
    <header>
      <h1 className="max-w-3xl font-serif text-[1.9rem] leading-[1.2] font-medium tracking-[-0.015em] sm:text-[2.35rem]">
        {plural(data.total, "note")} from {plural(data.machines.length, "machine")}:{" "}
        {[healthy, synced, growing].map((claim, place) => (
          <Fragment key={claim.text}>
            {place > 0 && (place === 2 ? ", and " : ", ")}
            <span className={clsx("italic", COLOURS[claim.state])}>{claim.text}</span>
          </Fragment>
        ))}
        .
      </h1>
      <p className="mt-2 text-[0.86rem] text-faint">
        {data.root} on {data.machine_id}
        {data.superseded > 0 && `, ${count(data.superseded)} superseded`}
        {data.last_capture && `, last session captured ${ago(data.last_capture)}`}
      </p>
    </header>
  );
}

function claims(data: Overview): [Claim, Claim, Claim] {
  const broken = data.problems.length;
  const { state, short } = syncSummary(data.sync);
  const fresh = data.new_this_week;
  return [
    broken ? { text: `${plural(broken, "file")} unreadable`, state: "bad" } : { text: "healthy", state: "good" },
    { text: state === "good" ? "in sync" : lower(short), state },
    fresh ? { text: `${count(fresh)} new this week`, state: "good" } : { text: "nothing new this week", state: "off" },
  ];
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
