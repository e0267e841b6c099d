// Places the points of the map in a thread of its own, so that the page never stutters while it settles.
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type SimulationNodeDatum } from "d3-force";

export type LayoutRequest = { radii: Float32Array; pairs: Int32Array; lengths: Float32Array };
/** x and y of every point, in the order of the request. */
export type LayoutAnswer = Float32Array;

type Node = SimulationNodeDatum & { radius: number };

/** Rounds of placing between two pictures; fewer and the first pictures are only a knot. */
const ROUNDS = 3;

const page = self as unknown as DedicatedWorkerGlobalScope;

page.addEventListener("message", ({ data }: MessageEvent<LayoutRequest>) => {
  const nodes: Node[] = Array.from(data.radii, (radius) => ({ radius }));
  const links = Array.from(data.lengths, (length, at) => ({
    source: data.pairs[at * 2] ?? 0,
    target: data.pairs[at * 2 + 1] ?? 0,
    length,
  }));
  const simulation = forceSimulation(nodes)
    .force("link", forceLink(links).distance((link) => link.length).strength(0.35))
    .force("charge", forceManyBody<Node>().strength((node) => -8 - node.radius * 4).theta(1.1).distanceMax(500))
    .force("collide", forceCollide<Node>((node) => node.radius + 1.2).iterations(1))
    .force("x", forceX(0).strength(0.035))
    .force("y", forceY(0).strength(0.045))
    .alphaDecay(0.03)
    .stop();
  const step = () => {
    simulation.tick(ROUNDS);
    const settled = simulation.alpha() < simulation.alphaMin();
    const positions = new Float32Array(nodes.length * 2);
    nodes.forEach((node, at) => positions.set([node.x ?? 0, node.y ?? 0], at * 2));
    page.postMessage(positions satisfies LayoutAnswer, [positions.buffer]);
    if (!settled) setTimeout(step, 0);
  };
  step();
});
