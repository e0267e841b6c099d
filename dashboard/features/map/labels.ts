// The names on the map: of projects always, of notes when they are near or chosen; never more than can be read.
import type { Colours, Scene } from "@/features/map/draw";
import type { Point } from "@/features/map/graph";

const FROM_ZOOM = 2.4;
const MOST = 90;
const LONGEST = 46;
const NEARBY = 30;

export function drawLabels(
  pen: CanvasRenderingContext2D,
  scene: Scene,
  places: Float32Array,
  colours: Colours,
): void {
  const { clientWidth: width, clientHeight: height } = pen.canvas;
  pen.font = '500 12px "Inter Variable", sans-serif';
  pen.textAlign = "center";
  pen.lineJoin = "round";
  pen.lineWidth = 3;
  pen.strokeStyle = colours.paper;
  pen.fillStyle = colours.ink;
  let drawn = 0;
  scene.graph.points.forEach((point, at) => {
    if (drawn >= MOST || !isNamed(scene, point, at)) return;
    const [x, y] = [places[at * 2] ?? 0, places[at * 2 + 1] ?? 0];
    if (x < 0 || y < 0 || x > width || y > height) return;
    const text = shortName(point);
    const above = y - point.radius * Math.min(2.4, scene.view.scale) - 6;
    pen.strokeText(text, x, above);
    pen.fillText(text, x, above);
    drawn += 1;
  });
}

function isNamed({ near, chosen, view }: Scene, point: Point, at: number): boolean {
  if (at === chosen) return true;
  if (near) return near.has(at) && (point.note === null || near.size < NEARBY);
  return point.kind === "project" || view.scale > FROM_ZOOM;
}

/** A project by the last part of its key; the list beside the map has it whole. */
function shortName(point: Point): string {
  const name = point.kind === "project" ? point.label.split("/").at(-1) || point.label : point.label;
  return name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name;
}
