// The map's graph: which points and lines a filter leaves, as plain arrays for the layout and the drawing.
import { groupBy } from "@/lib/group";
import type { MapNode, StoreMap } from "@/lib/schemas/map";
import type { NoteType } from "@/lib/schemas/note";

export type Kind = NoteType | "project" | "tag";
export type Point = { key: string; kind: Kind; label: string; radius: number; faded: boolean; note: MapNode | null };
export type LineKind = "member" | "tagged" | "supersedes" | "mentions";
export type Line = { from: number; to: number; kind: LineKind };
export type Graph = { points: Point[]; lines: Line[] };

export type MapFilter = { type: string; project: string; tags: boolean; superseded: boolean };

/** A tag on fewer notes ties nothing together; one on more than this share of them ties everything. */
const TAG_LEAST = 3;
const TAG_MOST_SHARE = 0.5;

export function buildGraph(map: StoreMap, filter: MapFilter): Graph {
  const notes = map.nodes.filter((note) => passes(note, filter));
  const graph: Graph = { points: [], lines: [] };
  const places = new Map<string, number>();
  const place = (point: Point): number => {
    const found = places.get(point.key);
    if (found !== undefined) return found;
    places.set(point.key, graph.points.push(point) - 1);
    return graph.points.length - 1;
  };
  for (const note of notes) {
    const at = place(notePoint(note));
    const hub = place(hubPoint("project", note.project));
    graph.lines.push({ from: hub, to: at, kind: "member" });
    grow(graph, hub);
  }
  if (filter.tags) addTags(graph, notes, place);
  for (const link of map.links) {
    const [from, to] = [places.get(`note ${link.source}`), places.get(`note ${link.target}`)];
    if (from !== undefined && to !== undefined) graph.lines.push({ from, to, kind: link.kind });
  }
  return graph;
}

function addTags(graph: Graph, notes: MapNode[], place: (point: Point) => number): void {
  const carriers = groupBy(
    notes.flatMap((note) => note.tags.map((tag) => ({ tag, note }))),
    (pair) => pair.tag,
  );
  for (const [tag, pairs] of carriers) {
    if (pairs.length < TAG_LEAST || pairs.length > notes.length * TAG_MOST_SHARE) continue;
    const hub = place(hubPoint("tag", tag));
    for (const { note } of pairs) {
      graph.lines.push({ from: hub, to: place(notePoint(note)), kind: "tagged" });
      grow(graph, hub);
    }
  }
}

function passes(note: MapNode, filter: MapFilter): boolean {
  return (
    (!filter.type || note.type === filter.type) &&
    (!filter.project || note.project === filter.project) &&
    (filter.superseded || !note.superseded)
  );
}

function notePoint(note: MapNode): Point {
  return { key: `note ${note.id}`, kind: note.type, label: note.title, radius: 3.2, faded: note.superseded, note };
}

function hubPoint(kind: "project" | "tag", name: string): Point {
  return { key: `${kind} ${name}`, kind, label: name, radius: 4, faded: false, note: null };
}

/** A hub's area follows the number of its notes. */
function grow(graph: Graph, at: number): void {
  const hub = graph.points[at];
  if (hub) hub.radius = Math.min(26, Math.sqrt(hub.radius * hub.radius + 1.4));
}
