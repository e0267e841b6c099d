"use client";

import clsx from "clsx";
import { useState } from "react";
import Link from "@/components/link";
import { TypeMark } from "@/components/type-mark";
import { Panel } from "@/components/ui/panel";
import { activityLink, weekOf } from "@/lib/filter";
import { count, dayName, plural } from "@/lib/format";
import { TYPES, type Overview } from "@/lib/types";

const FILLS = { procedural: "fill-procedural-fill", semantic: "fill-semantic-fill", episodic: "fill-episodic-fill" };

type Week = Overview["growth"][number];

/** Notes written per week over half a year, by type; a week links to what happened in it. */
export function Growth({ weeks, counts }: { weeks: Week[]; counts: Record<string, number> }) {
  const [at, setAt] = useState<number | null>(null);
  const tallest = Math.max(1, ...weeks.map(sum));
  const shown = at === null ? undefined : weeks[at];
  return (
    <Panel title={`Written in the last ${weeks.length} weeks`}>
      <p aria-live="polite" className="mb-2 text-sm text-soft">
        {shown
          ? `Week of ${dayName(shown.week)}: ${inWords(shown)}`
          : `${plural(
              weeks.reduce((all, week) => all + sum(week), 0),
              "note",
            )} in these weeks`}
      </p>
      <div className="grid grid-cols-[auto_1fr] gap-x-2 text-xs text-faint tabular-nums">
        <div aria-hidden className="flex h-32 flex-col justify-between text-right leading-none">
          <span>{count(tallest)}</span>
          <span>0</span>
        </div>
        <ol aria-label="Notes written, week by week" className="flex h-32 items-stretch border-b border-l border-line">
          {weeks.map((week, place) => (
            <li key={week.week} className="min-w-0 flex-1">
              <Link
                href={activityLink(weekOf(week.week))}
                aria-label={`Week of ${dayName(week.week)}: ${inWords(week)}`}
                onMouseEnter={() => setAt(place)}
                onMouseLeave={() => setAt(null)}
                onFocus={() => setAt(place)}
                onBlur={() => setAt(null)}
                className={clsx("block h-full outline-offset-[-2px]", place === at && "bg-sunken")}>
                <Bar week={week} tallest={tallest} />
              </Link>
            </li>
          ))}
        </ol>
        <p aria-hidden className="col-start-2 mt-1 mb-4 flex justify-between">
          <span>{dayName(weeks[0]?.week ?? "")}</span>
          <span>this week</span>
        </p>
      </div>
      <p className="mb-2 text-sm text-soft">All notes by type</p>
      <TypeBar counts={counts} />
    </Panel>
  );
}

function Bar({ week, tallest }: { week: Week; tallest: number }) {
  return (
    <svg aria-hidden viewBox={`0 0 10 ${tallest}`} preserveAspectRatio="none" className="h-full w-full">
      {TYPES.map((type, place) => {
        const below = TYPES.slice(0, place).reduce((total, lower) => total + week[lower], 0);
        return (
          <rect
            key={type}
            x={1}
            y={tallest - below - week[type]}
            width={8}
            height={week[type]}
            className={FILLS[type]}
          />
        );
      })}
    </svg>
  );
}

/** How many notes of each type, as one segmented bar with figures. */
function TypeBar({ counts }: { counts: Record<string, number> }) {
  const total = TYPES.reduce((sum, type) => sum + (counts[type] ?? 0), 0) || 1;
  return (
    <div>
      <svg
        viewBox="0 0 100 4"
        preserveAspectRatio="none"
        aria-hidden
        className="h-1.5 w-full overflow-hidden rounded-full bg-line">
        {TYPES.map((type, place) => {
          const before = TYPES.slice(0, place).reduce((sum, other) => sum + (counts[other] ?? 0), 0);
          const share = (number: number) => (number / total) * 100;
          return (
            <rect key={type} x={share(before)} width={share(counts[type] ?? 0)} height="4" className={FILLS[type]} />
          );
        })}
      </svg>
      <ul className="mt-2 flex flex-wrap gap-x-4 text-sm">
        {TYPES.map((type) => (
          <li key={type} className="flex items-center gap-1.5 text-soft">
            <TypeMark type={type} named /> <span className="tabular-nums">{count(counts[type] ?? 0)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function inWords(week: Week): string {
  const parts = TYPES.filter((type) => week[type] > 0).map((type) => `${count(week[type])} ${type}`);
  return [plural(sum(week), "note"), parts.join(", ")].filter(Boolean).join(": ");
}

function sum(week: Week): number {
  return TYPES.reduce((total, type) => total + week[type], 0);
}
