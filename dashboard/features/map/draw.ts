// One picture of the map, in time for the next frame with thousands of points: what is out of sight is left out,
// discs are stamped from a small picture of each, and lines of one kind are one path.
import { drawLabels } from "@/features/map/labels";
import type { Graph, Kind, Line } from "@/features/map/graph";
import type { View } from "@/features/map/view";

export type Colours = Record<Kind | "line" | "ink" | "paper" | "accent", string>;
export type Scene = {
  graph: Graph;
  positions: Float32Array;
  view: View;
  /** The points to light up, or null for all. */
  near: Set<number> | null;
  chosen: number;
};

const KINDS: Kind[] = ["episodic", "semantic", "procedural", "tag", "project"];
/** Beyond so many points, spokes are a grey blur that costs most of the time: only those lit up are drawn. */
const MANY = 1500;
const FAINT = 0.22;

export function draw(pen: CanvasRenderingContext2D, scene: Scene, colours: Colours): void {
  const ratio = window.devicePixelRatio || 1;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, pen.canvas.width, pen.canvas.height);
  const places = onScreen(scene);
  drawLines(pen, scene, places, colours);
  for (const kind of KINDS) drawPoints(pen, scene, places, kind, colours);
  drawLabels(pen, scene, places, colours);
}

function onScreen({ positions, view }: Scene): Float32Array {
  const places = new Float32Array(positions.length);
  for (let at = 0; at < positions.length; at += 2) {
    places[at] = (positions[at] ?? 0) * view.scale + view.x;
    places[at + 1] = (positions[at + 1] ?? 0) * view.scale + view.y;
  }
  return places;
}

function drawLines(pen: CanvasRenderingContext2D, scene: Scene, places: Float32Array, colours: Colours): void {
  const { graph, near } = scene;
  const few = graph.points.length <= MANY;
  for (const strong of [false, true]) {
    if (!strong && !few) continue;
    pen.beginPath();
    for (const line of graph.lines) {
      if (isLit(line, near) !== strong) continue;
      pen.moveTo(places[line.from * 2] ?? 0, places[line.from * 2 + 1] ?? 0);
      pen.lineTo(places[line.to * 2] ?? 0, places[line.to * 2 + 1] ?? 0);
    }
    pen.strokeStyle = strong ? colours.accent : colours.line;
    pen.globalAlpha = strong ? 0.8 : near ? 0.4 : 1;
    pen.lineWidth = strong ? 1.3 : 1;
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

function isLit(line: Line, near: Set<number> | null): boolean {
  if (near) return near.has(line.from) && near.has(line.to);
  return line.kind === "supersedes" || line.kind === "mentions";
}

function drawPoints(
  pen: CanvasRenderingContext2D,
  scene: Scene,
  places: Float32Array,
  kind: Kind,
  colours: Colours,
): void {
  const { graph, near, view } = scene;
  const { clientWidth: width, clientHeight: height } = pen.canvas;
  const stamps = new Map<number, HTMLCanvasElement>();
  graph.points.forEach((point, at) => {
    if (point.kind !== kind) return;
    const radius = Math.max(1.2, point.radius * Math.min(2.4, Math.max(0.35, view.scale)));
    const [x, y] = [places[at * 2] ?? 0, places[at * 2 + 1] ?? 0];
    if (x < -radius || y < -radius || x > width + radius || y > height + radius) return;
    const size = Math.round(radius * 4) / 4;
    const stamp = stamps.get(size) ?? makeStamp(size, kind, colours);
    stamps.set(size, stamp);
    pen.globalAlpha = (near ? !near.has(at) : point.faded) ? FAINT : 1;
    pen.drawImage(stamp, x - size - 1, y - size - 1, size * 2 + 2, size * 2 + 2);
  });
  pen.globalAlpha = 1;
}

/** A note is a disc; a project and a tag are rings, since they hold notes. */
function makeStamp(radius: number, kind: Kind, colours: Colours): HTMLCanvasElement {
  const ratio = window.devicePixelRatio || 1;
  const stamp = document.createElement("canvas");
  stamp.width = stamp.height = Math.ceil((radius * 2 + 2) * ratio);
  const pen = stamp.getContext("2d");
  if (!pen) return stamp;
  const isRing = kind === "project" || kind === "tag";
  pen.scale(stamp.width / (radius * 2 + 2), stamp.width / (radius * 2 + 2));
  pen.beginPath();
  pen.arc(radius + 1, radius + 1, isRing ? radius - 0.8 : radius, 0, Math.PI * 2);
  pen.fillStyle = isRing ? colours.paper : colours[kind];
  pen.fill();
  if (isRing) {
    pen.strokeStyle = colours[kind];
    pen.lineWidth = kind === "project" ? 2 : 1.2;
    pen.stroke();
  }
  return stamp;
}

/** The page's own colours, read from its style sheet. */
export function readColours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    procedural: read("procedural-fill"),
    semantic: read("semantic-fill"),
    episodic: read("episodic-fill"),
    project: read("soft"),
    tag: read("accent"),
    line: read("line"),
    ink: read("ink"),
    paper: read("panel"),
    accent: read("accent"),
  };
}
