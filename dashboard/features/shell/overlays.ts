// Which overlay is open: the search palette, the help, how to purge, or none.
import { useSyncExternalStore } from "react";

type Overlay = "palette" | "help" | "purge" | null;

let shown: Overlay = null;
const listeners = new Set<() => void>();

export const useOverlay = (): Overlay => useSyncExternalStore(subscribe, () => shown, () => null);
export const openPalette = (): void => show("palette");
export const openHelp = (): void => show("help");
export const openPurge = (): void => show("purge");
export const closeOverlay = (): void => show(null);

function show(overlay: Overlay): void {
  shown = overlay;
  listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
