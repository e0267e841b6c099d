import { useEffect, useRef } from "react";
import type { Graph, LineKind } from "@/features/map/graph";
import type { LayoutAnswer, LayoutRequest } from "@/features/map/layout.worker";

const LENGTHS: Record<LineKind, number> = { member: 34, tagged: 70, supersedes: 18, mentions: 26 };

/** Lay out a graph in a worker; `onMove` gets the new positions each time the points have moved. */
export function useLayout(graph: Graph, onMove: (positions: Float32Array) => void): void {
  const moved = useRef(onMove);
  useEffect(() => {
    moved.current = onMove;
  });
  useEffect(() => {
    const worker = new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<LayoutAnswer>) => {
      moved.current(data);
    });
    worker.postMessage(describe(graph));
    return () => worker.terminate();
  }, [graph]);
}

function describe(graph: Graph): LayoutRequest {
  return {
    radii: Float32Array.from(graph.points, (point) => point.radius),
    pairs: Int32Array.from(graph.lines.flatMap((line) => [line.from, line.to])),
    lengths: Float32Array.from(graph.lines, (line) => LENGTHS[line.kind]),
  };
}
