import { useEffect, useRef, type RefObject } from "react";
import type { Graph } from "@/features/map/graph";
import { pointAt, zoom, type View } from "@/features/map/view";

type Parts = {
  canvas: RefObject<HTMLCanvasElement | null>;
  graph: Graph;
  positions: RefObject<Float32Array>;
  view: RefObject<View>;
  hovered: RefObject<number>;
  touched: RefObject<boolean>;
  repaint: () => void;
  onChoose: (place: number) => void;
};

type Place = { x: number; y: number };

const CLICK = 4;

/** Drag to move, wheel or two fingers to zoom, point to light up, click to choose. */
export function usePointer(parts: Parts): void {
  const latest = useRef(parts);
  useEffect(() => {
    latest.current = parts;
  });
  useEffect(() => {
    const canvas = latest.current.canvas.current;
    if (!canvas) return;
    const fingers = new Map<number, Place>();
    let travelled = 0;
    const placeOf = (event: PointerEvent | WheelEvent): Place => ({ x: event.offsetX, y: event.offsetY });
    const under = (place: Place) => {
      const { graph, positions, view } = latest.current;
      return pointAt(graph, positions.current, view.current, place);
    };
    const change = (view: View) => {
      latest.current.view.current = view;
      latest.current.touched.current = true;
      latest.current.repaint();
    };
    const down = (event: PointerEvent) => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, placeOf(event));
      travelled = 0;
    };
    const move = (event: PointerEvent) => {
      const before = fingers.get(event.pointerId);
      const place = placeOf(event);
      if (!before) return hover(place);
      const { view } = latest.current;
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
      travelled += Math.hypot(place.x - before.x, place.y - before.y);
      fingers.set(event.pointerId, place);
      if (other) change(zoom(view.current, spread(place, other) / (spread(before, other) || 1), middle(place, other)));
      else change({ ...view.current, x: view.current.x + place.x - before.x, y: view.current.y + place.y - before.y });
    };
    const hover = (place: Place) => {
      const found = under(place);
      if (found === latest.current.hovered.current) return;
      latest.current.hovered.current = found;
      canvas.style.cursor = found >= 0 ? "pointer" : "grab";
      latest.current.repaint();
    };
    const up = (event: PointerEvent) => {
      fingers.delete(event.pointerId);
      if (travelled < CLICK && event.type === "pointerup") latest.current.onChoose(under(placeOf(event)));
    };
    const leave = () => {
      latest.current.hovered.current = -1;
      latest.current.repaint();
    };
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      change(zoom(latest.current.view.current, Math.exp(-event.deltaY * 0.0015), placeOf(event)));
    };
    const stop = new AbortController();
    const { signal } = stop;
    canvas.addEventListener("pointerdown", down, { signal });
    canvas.addEventListener("pointermove", move, { signal });
    canvas.addEventListener("pointerup", up, { signal });
    canvas.addEventListener("pointercancel", up, { signal });
    canvas.addEventListener("pointerleave", leave, { signal });
    canvas.addEventListener("wheel", wheel, { signal, passive: false });
    return () => stop.abort();
  }, []);
}

function spread(one: Place, other: Place): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

function middle(one: Place, other: Place): Place {
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
}
