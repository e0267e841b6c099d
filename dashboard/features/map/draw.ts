// One picture of the map. Everything of one colour is one path: thousands of points cost a few calls.
import type { Graph, Kind } from "@/features/map/graph";
import type { View } from "@/features/map/view";

export type Colours = Record<Kind | "line" | "ink" | "paper" | "accent", string>;
export type Scene = { graph: Graph; positions: Float32Array; view: View; near: Set<number> | null; chosen: number };

const KINDS: Kind[] = ["episodic", "semantic", "procedural", "tag", "project"];
const LABEL_ZOOM = 2.4;

export function draw(pen: CanvasRenderingContext2D, scene: Scene, colours: Colours): void {
  const { canvas } = pen;
  const ratio = window.devicePixelRatio || 1;
  const { scale, x, y } = scene.view;
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, canvas.width, canvas.height);
  pen.setTransform(ratio * scale, 0, 0, ratio * scale, ratio * x, ratio * y);
  drawLines(pen, scene, colours);
  for (const kind of KINDS) drawPoints(pen, scene, kind, colours);
  drawLabels(pen, scene, colours);
}

function drawLines(pen: CanvasRenderingContext2D, { graph, positions, view, near }: Scene, colours: Colours): void {
  for (const strong of [false, true]) {
    pen.beginPath();
    for (const line of graph.lines) {
      const own = line.kind === "supersedes" || line.kind === "mentions";
      const lit = near ? near.has(line.from) && near.has(line.to) : own;
      if (lit !== strong) continue;
      pen.moveTo(positions[line.from * 2] ?? 0, positions[line.from * 2 + 1] ?? 0);
      pen.lineTo(positions[line.to * 2] ?? 0, positions[line.to * 2 + 1] ?? 0);
    }
    pen.strokeStyle = strong ? colours.accent : colours.line;
    pen.globalAlpha = strong ? 0.8 : near ? 0.35 : 0.75;
    pen.lineWidth = (strong ? 1.2 : 0.7) / Math.max(0.4, view.scale);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

function drawPoints(pen: CanvasRenderingContext2D, scene: Scene, kind: Kind, colours: Colours): void {
  const { graph, positions, near } = scene;
  for (const faint of [true, false]) {
    pen.beginPath();
    graph.points.forEach((point, at) => {
      const dim = near ? !near.has(at) : point.faded;
      if (point.kind !== kind || dim !== faint) return;
      const [x, y] = [positions[at * 2] ?? 0, positions[at * 2 + 1] ?? 0];
      pen.moveTo(x + point.radius, y);
      pen.arc(x, y, point.radius, 0, Math.PI * 2);
    });
    pen.globalAlpha = faint ? 0.22 : 1;
    pen.fillStyle = kind === "project" || kind === "tag" ? colours.paper : colours[kind];
    pen.fill();
    if (kind === "project" || kind === "tag") {
      pen.strokeStyle = colours[kind];
      pen.lineWidth = kind === "project" ? 1.6 : 0.9;
      pen.stroke();
    }
  }
  pen.globalAlpha = 1;
}

function drawLabels(pen: CanvasRenderingContext2D, scene: Scene, colours: Colours): void {
  const { graph, positions, view, near, chosen } = scene;
  const size = 12 / view.scale;
  pen.font = `500 ${size}px "Inter Variable", sans-serif`;
  pen.textAlign = "center";
  pen.lineJoin = "round";
  graph.points.forEach((point, at) => {
    const hub = point.kind === "project" && point.radius * view.scale > 5;
    const wanted = at === chosen || (near ? near.has(at) && near.size < 30 : hub || view.scale > LABEL_ZOOM);
    if (!wanted && !(near?.has(at) && hub)) return;
    const [x, y] = [positions[at * 2] ?? 0, (positions[at * 2 + 1] ?? 0) - point.radius - size * 0.45];
    const text = point.label.length > 48 ? `${point.label.slice(0, 46)}…` : point.label;
    pen.lineWidth = 3 / view.scale;
    pen.strokeStyle = colours.paper;
    pen.strokeText(text, x, y);
    pen.fillStyle = colours.ink;
    pen.fillText(text, x, y);
  });
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
