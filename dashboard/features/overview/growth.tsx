"use client";

import clsx from "clsx";
import { useState } from "react";
import Link from "@/components/link";
import { Panel } from "@/components/ui/panel";
import { activityLink, weekOf } from "@/lib/filter";
import { count, dayName, plural } from "@/lib/format";
import { TYPES, type Overview } from "@/lib/types";

const FILLS = { procedural: "fill-procedural-fill", semantic: "fill-semantic-fill", episodic: "fill-episodic-fill" };

type Week = Overview["growth"][number];

/** Notes written per week over half a year, by type; a week links to what happened in it. */
export function Growth({ weeks }: { weeks: Week[] }) {
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
        <p aria-hidden className="col-start-2 mt-1 flex justify-between">
          <span>{dayName(weeks[0]?.week ?? "")}</span>
          <span>this week</span>
        </p>
      </div>
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

function inWords(week: Week): string {
  const parts = TYPES.filter((type) => week[type] > 0).map((type) => `${count(week[type])} ${type}`);
  return [plural(sum(week), "note"), parts.join(", ")].filter(Boolean).join(": ");
}

function sum(week: Week): number {
  return TYPES.reduce((total, type) => total + week[type], 0);
}
