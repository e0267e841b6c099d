import { useEffect, useRef, type RefObject } from "react";
import type { Graph, LineKind } from "@/features/map/graph";
import type { LayoutAnswer, LayoutRequest } from "@/features/map/layout.worker";

const LENGTHS: Record<LineKind, number> = { member: 34, tagged: 70, supersedes: 18, mentions: 26 };

/** Keep `positions` at where the points of a graph are; `onMove` is called each time they have moved. */
export function useLayout(graph: Graph, positions: RefObject<Float32Array>, onMove: () => void): void {
  const moved = useRef(onMove);
  useEffect(() => {
    moved.current = onMove;
  });
  useEffect(() => {
    positions.current = new Float32Array();
    const worker = new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<LayoutAnswer>) => {
      positions.current = data;
      moved.current();
    });
    worker.postMessage(describe(graph));
    return () => worker.terminate();
  }, [graph, positions]);
}

function describe(graph: Graph): LayoutRequest {
  return {
    radii: Float32Array.from(graph.points, (point) => point.radius),
    pairs: Int32Array.from(graph.lines.flatMap((line) => [line.from, line.to])),
    lengths: Float32Array.from(graph.lines, (line) => LENGTHS[line.kind]),
  };
}
