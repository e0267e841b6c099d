import { expect, test } from "vitest";
import { buildGraph, type MapFilter } from "./graph";
import type { MapNode } from "@/lib/schemas/map";

const ALL: MapFilter = { type: "", project: "", tags: false, superseded: true };

const node = (id: string, more: Partial<MapNode> = {}): MapNode => ({
  id,
  title: id,
  type: "semantic",
  project: "shop",
  machine_id: "desk",
  tags: [],
  superseded: false,
  ...more,
});

const keys = (nodes: MapNode[], filter: Partial<MapFilter> = {}) =>
  buildGraph({ nodes, links: [] }, { ...ALL, ...filter }).points.map((point) => point.key);

test("every note hangs on its project", () => {
  const graph = buildGraph({ nodes: [node("a"), node("b")], links: [] }, ALL);
  expect(graph.points.map((point) => point.key)).toEqual(["note a", "project shop", "note b"]);
  expect(graph.lines).toEqual([
    { from: 1, to: 0, kind: "member" },
    { from: 1, to: 2, kind: "member" },
  ]);
});

test("filters leave no project without notes", () => {
  const nodes = [node("a"), node("b", { project: "site", type: "episodic" }), node("c", { superseded: true })];
  expect(keys(nodes, { type: "episodic" })).toEqual(["note b", "project site"]);
  expect(keys(nodes, { project: "shop", superseded: false })).toEqual(["note a", "project shop"]);
});

test("a link is drawn only when both its ends are", () => {
  const links = [{ source: "a", target: "b", kind: "mentions" as const }, { source: "a", target: "gone", kind: "mentions" as const }];
  const drawn = buildGraph({ nodes: [node("a"), node("b")], links }, ALL).lines.filter((line) => line.kind === "mentions");
  expect(drawn).toEqual([{ from: 0, to: 2, kind: "mentions" }]);
});

test("a tag ties notes together when it is on some, not on nearly all", () => {
  const nodes = Array.from({ length: 10 }, (_, at) => node(`n${at}`, { tags: at < 4 ? ["some", "all"] : ["all"] }));
  expect(keys(nodes, { tags: true }).filter((key) => key.startsWith("tag"))).toEqual(["tag some"]);
});
