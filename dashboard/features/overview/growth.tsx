import Link from "@/components/link";
import { TypeMark } from "@/components/type-mark";
import { Panel } from "@/components/ui/panel";
import { activityLink, weekOf } from "@/lib/filter";
import { count, dayName, plural } from "@/lib/format";
import { TYPES, type Overview } from "@/lib/types";

const FILLS = { procedural: "fill-procedural-fill", semantic: "fill-semantic-fill", episodic: "fill-episodic-fill" };

type Week = Overview["growth"][number];

/** Notes written per week over half a year, by type; a week links to what happened in it. */
export function Growth({ weeks }: { weeks: Week[] }) {
  const tallest = Math.max(1, ...weeks.map(sum));
  return (
    <Panel
      title={`Written in the last ${weeks.length} weeks`}
      action={
        <span className="flex flex-wrap gap-x-3">
          {TYPES.map((type) => (
            <TypeMark key={type} type={type} named />
          ))}
        </span>
      }>
      <div className="grid h-full grid-cols-[auto_1fr] grid-rows-[minmax(8rem,1fr)_auto] gap-x-2 text-xs text-faint tabular-nums">
        <div aria-hidden className="flex flex-col justify-between text-right leading-none">
          <span>{count(tallest)}</span>
          <span>0</span>
        </div>
        <ol aria-label="Notes written, week by week" className="flex items-stretch border-b border-l border-line">
          {weeks.map((week) => (
            <li key={week.week} className="min-w-0 flex-1">
              <Link
                href={activityLink(weekOf(week.week))}
                title={`Week of ${dayName(week.week)}: ${inWords(week)}`}
                aria-label={`Week of ${dayName(week.week)}: ${inWords(week)}`}
                className="block h-full outline-offset-[-2px] hover:bg-sunken">
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

export function sum(week: Week): number {
  return TYPES.reduce((total, type) => total + week[type], 0);
}
