// What part of the map is seen: pan, zoom, fit, and which point lies under the pointer.
import type { Graph } from "@/features/map/graph";

export type View = { x: number; y: number; scale: number };

const MIN = 0.05;
const MAX = 8;

export function zoom(view: View, factor: number, at: { x: number; y: number }): View {
  const scale = Math.min(MAX, Math.max(MIN, view.scale * factor));
  const real = scale / view.scale;
  return { scale, x: at.x - (at.x - view.x) * real, y: at.y - (at.y - view.y) * real };
}

/** The view in which every point is seen. */
export function fit(positions: Float32Array, width: number, height: number): View {
  let [left, right, top, bottom] = [-60, 60, -60, 60];
  for (let at = 0; at + 1 < positions.length; at += 2) {
    const [x, y] = [positions[at] ?? 0, positions[at + 1] ?? 0];
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  const scale = Math.min(2, 0.92 * Math.min(width / (right - left), height / (bottom - top)));
  return { scale, x: width / 2 - ((left + right) / 2) * scale, y: height / 2 - ((top + bottom) / 2) * scale };
}

/** The point under a place on the canvas, with a few pixels of kindness; -1 for none. */
export function pointAt(graph: Graph, positions: Float32Array, view: View, place: { x: number; y: number }): number {
  let best = -1;
  let nearest = Infinity;
  graph.points.forEach((point, at) => {
    const dx = (positions[at * 2] ?? 0) * view.scale + view.x - place.x;
    const dy = (positions[at * 2 + 1] ?? 0) * view.scale + view.y - place.y;
    const distance = Math.hypot(dx, dy) - point.radius * view.scale;
    if (distance < Math.min(6, nearest)) {
      best = at;
      nearest = distance;
    }
  });
  return best;
}
