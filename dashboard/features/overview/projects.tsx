import Link from "@/components/link";
import { Panel } from "@/components/ui/panel";
import { projectLink } from "@/lib/filter";
import { count } from "@/lib/format";

const SHOWN = 9;

/** The projects with the most notes. */
export function Projects({ counts }: { counts: Record<string, number> }) {
  const ranked = Object.entries(counts).sort(([, a], [, b]) => b - a);
  const most = ranked[0]?.[1] ?? 1;
  return (
    <Panel
      className="self-start"
      title="Projects"
      action={
        <Link href="/projects/" className="text-sm text-accent hover:underline">
          All projects
        </Link>
      }>
      <ul className="space-y-2">
        {ranked.slice(0, SHOWN).map(([project, number]) => (
          <li key={project}>
            <Link href={projectLink(project)} className="group block text-sm">
              <span className="flex justify-between gap-3">
                <span className="truncate group-hover:underline">{project}</span>
                <span className="text-faint tabular-nums">{count(number)}</span>
              </span>
              <svg viewBox="0 0 100 2" preserveAspectRatio="none" aria-hidden className="mt-1 h-[3px] w-full">
                <rect width="100" height="2" className="fill-line" />
                <rect width={(number / most) * 100} height="2" className="fill-accent" />
              </svg>
            </Link>
          </li>
        ))}
      </ul>
      {ranked.length > SHOWN && <p className="mt-3 text-sm text-faint">and {count(ranked.length - SHOWN)} more</p>}
    </Panel>
  );
}
