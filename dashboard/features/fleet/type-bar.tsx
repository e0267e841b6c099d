import { TypeMark } from "@/components/type-mark";
import { count } from "@/lib/format";
import { noteType } from "@/lib/schemas/note";

const FILLS = {
  procedural: "fill-procedural-fill",
  semantic: "fill-semantic-fill",
  episodic: "fill-episodic-fill",
};

/** How many notes of each type, as one segmented bar with figures. */
export function TypeBar({ counts }: { counts: Record<string, number> }) {
  const total = noteType.options.reduce((sum, type) => sum + (counts[type] ?? 0), 0) || 1;
  return (
    <div>
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden className="h-1.5 w-full overflow-hidden rounded-full bg-line">
        {noteType.options.map((type, place) => {
          const before = noteType.options.slice(0, place).reduce((sum, other) => sum + (counts[other] ?? 0), 0);
          const share = (number: number) => (number / total) * 100;
          return (
            <rect key={type} x={share(before)} width={share(counts[type] ?? 0)} height="4" className={FILLS[type]} />
          );
        })}
      </svg>
      <ul className="mt-2 flex flex-wrap gap-x-4 text-sm">
        {noteType.options.map((type) => (
          <li key={type} className="flex items-center gap-1.5 text-soft">
            <TypeMark type={type} named /> <span className="tabular-nums">{count(counts[type] ?? 0)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
