import { Panel } from "@/components/ui/panel";
import { TypeBar } from "@/features/fleet/type-bar";
import { plural } from "@/lib/format";
import type { Overview } from "@/lib/schemas/health";
import { noteType } from "@/lib/schemas/note";

const HEIGHT = 100;
const STEP = 12;
const BAR = 9;
const FILLS = {
  procedural: "fill-procedural-fill",
  semantic: "fill-semantic-fill",
  episodic: "fill-episodic-fill",
};

type Week = Overview["growth"][number];

/** Notes written per week over half a year, by type. */
export function Growth({ weeks, counts }: { weeks: Week[]; counts: Record<string, number> }) {
  const tallest = Math.max(1, ...weeks.map(sum));
  const written = weeks.reduce((total, week) => total + sum(week), 0);
  return (
    <Panel title={`Written in the last ${weeks.length} weeks`}>
      <svg
        role="img"
        aria-label={`${plural(written, "note")} in ${weeks.length} weeks, at most ${tallest} in one week`}
        viewBox={`0 0 ${weeks.length * STEP - (STEP - BAR)} ${HEIGHT + 1}`}
        preserveAspectRatio="none"
        className="h-32 w-full"
      >
        {weeks.map((week, place) => (
          <Bar key={week.week} week={week} x={place * STEP} scale={HEIGHT / tallest} />
        ))}
        <rect y={HEIGHT} width="100%" height="1" className="fill-line" />
      </svg>
      <p className="mt-1 mb-4 flex justify-between text-[0.76rem] text-faint">
        <span>{weeks[0]?.week}</span>
        <span>at most {tallest} a week</span>
        <span>now</span>
      </p>
      <TypeBar counts={counts} />
    </Panel>
  );
}

function Bar({ week, x, scale }: { week: Week; x: number; scale: number }) {
  return (
    <g>
      <title>{`week of ${week.week}: ${plural(sum(week), "note")}`}</title>
      {noteType.options.map((type, place) => {
        const below = noteType.options.slice(0, place).reduce((total, lower) => total + week[lower], 0);
        const height = week[type] * scale;
        const y = HEIGHT - below * scale - height;
        return <rect key={type} x={x} y={y} width={BAR} height={height} className={FILLS[type]} />;
      })}
    </g>
  );
}

function sum(week: Week): number {
  return noteType.options.reduce((total, type) => total + week[type], 0);
}
