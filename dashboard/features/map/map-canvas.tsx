"use client";

import { useCallback, useEffect, useMemo, useRef } from "react";
import { draw, readColours } from "@/features/map/draw";
import type { Graph } from "@/features/map/graph";
import { usePointer } from "@/features/map/use-pointer";
import { useLayout } from "@/features/map/use-layout";
import { fit, type View } from "@/features/map/view";
import { plural } from "@/lib/format";
import { useTheme } from "@/lib/theme";

type Props = { graph: Graph; chosen: number; onChoose: (place: number) => void };

/** The graph on a canvas: drawn when something moved, and only then. */
export function MapCanvas({ graph, chosen, onChoose }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<View>({ x: 0, y: 0, scale: 1 });
  const positions = useRef<Float32Array>(new Float32Array());
  const hovered = useRef(-1);
  const touched = useRef(false);
  const due = useRef(0);
  const theme = useTheme();
  const neighbours = useMemo(() => neighboursOf(graph), [graph]);

  const paint = useCallback(() => {
    due.current = 0;
    const pen = canvas.current?.getContext("2d");
    if (!pen) return;
    const centre = hovered.current >= 0 ? hovered.current : chosen;
    const near = centre >= 0 ? (neighbours[centre] ?? null) : null;
    draw(pen, { graph, positions: positions.current, view: view.current, near, chosen: centre }, readColours());
    // eslint-disable-next-line react-hooks/exhaustive-deps -- theme: the colours come from the style sheet
  }, [graph, neighbours, chosen, theme]);
  const repaint = useCallback(() => {
    due.current ||= requestAnimationFrame(paint);
  }, [paint]);

  useLayout(graph, (moved) => {
    positions.current = moved;
    const box = canvas.current?.getBoundingClientRect();
    if (box && !touched.current) view.current = fit(positions.current, box.width, box.height);
    repaint();
  });
  usePointer({ canvas, graph, positions, view, hovered, touched, repaint, onChoose });
  useEffect(() => {
    touched.current = false;
  }, [graph]);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const resize = new ResizeObserver(() => {
      const ratio = window.devicePixelRatio || 1;
      element.width = element.clientWidth * ratio;
      element.height = element.clientHeight * ratio;
      if (!touched.current) view.current = fit(positions.current, element.clientWidth, element.clientHeight);
      paint();
    });
    resize.observe(element);
    return () => resize.disconnect();
  }, [paint, positions]);

  const notes = graph.points.filter((point) => point.note).length;
  return (
    <div
      role="img"
      aria-label={`Map of ${plural(notes, "note")}. The list beside it names the projects and opens them.`}
      className="size-full"
    >
      <canvas ref={canvas} className="size-full touch-none" />
    </div>
  );
}

function neighboursOf(graph: Graph): Set<number>[] {
  const near = graph.points.map((_, at) => new Set([at]));
  for (const line of graph.lines) {
    near[line.from]?.add(line.to);
    near[line.to]?.add(line.from);
  }
  return near;
}
