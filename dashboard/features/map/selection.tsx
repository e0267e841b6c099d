"use client";

import Link from "@/components/link";
import { TypeMark } from "@/components/type-mark";
import { buttonClass } from "@/components/ui/button";
import { Panel } from "@/components/ui/panel";
import type { Graph, Point } from "@/features/map/graph";
import { browseLink, noteLink } from "@/lib/filter";
import { count } from "@/lib/format";

type Props = { graph: Graph; place: number; onChoose: (place: number) => void };

const SHOWN = 60;

/** The map in words: its projects, or what the chosen point is tied to. Usable without seeing the drawing. */
export function Selection({ graph, place, onChoose }: Props) {
  const point = graph.points[place];
  const listed = point ? neighbours(graph, place) : hubs(graph);
  return (
    <Panel title={point ? label(point) : "Projects"} flush className="max-h-[min(70dvh,46rem)] self-start overflow-y-auto!">
      {point && (
        <div className="flex gap-2 border-b border-line p-3">
          <Link href={pointLink(point)} className={buttonClass({ small: true, look: "primary" })}>
            {point.note ? "Open note" : "Browse notes"}
          </Link>
          <button type="button" onClick={() => onChoose(-1)} className={buttonClass({ small: true })}>
            All projects
          </button>
        </div>
      )}
      <ul className="p-1.5">
        {listed.slice(0, SHOWN).map((at) => {
          const item = graph.points[at];
          return (
            item && (
              <li key={item.key}>
                <button
                  type="button"
                  onClick={() => onChoose(at)}
                  className="flex w-full items-baseline gap-2 rounded-md px-2 py-1 text-left text-sm hover:bg-sunken"
                >
                  {item.note && <TypeMark type={item.note.type} />}
                  <span className="min-w-0 flex-1 truncate">{label(item)}</span>
                </button>
              </li>
            )
          );
        })}
      </ul>
      {listed.length > SHOWN && <p className="px-4 pb-3 text-sm text-faint">and {count(listed.length - SHOWN)} more</p>}
    </Panel>
  );
}

function hubs(graph: Graph): number[] {
  const places = graph.points.flatMap((point, at) => (point.kind === "project" ? [at] : []));
  return places.sort((a, b) => (graph.points[b]?.radius ?? 0) - (graph.points[a]?.radius ?? 0));
}

function neighbours(graph: Graph, place: number): number[] {
  const tied = graph.lines.flatMap((line) => {
    if (line.from === place) return [line.to];
    return line.to === place ? [line.from] : [];
  });
  return [...new Set(tied)];
}

function label(point: Point): string {
  return point.kind === "tag" ? `#${point.label}` : point.label;
}

function pointLink(point: Point): string {
  if (point.note) return noteLink(point.note.id);
  return browseLink(point.kind === "tag" ? { tag: point.label } : { project: point.label });
}
