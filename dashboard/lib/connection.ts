// Whether the server answers this browser, as known from every request and the event stream.
import { useSyncExternalStore } from "react";

/** `locked`: the server was restarted, and this browser has not opened the new address yet. */
type Connection = "open" | "away" | "locked";

let connection: Connection = "open";
const listeners = new Set<() => void>();

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => connection, () => "open");
}

/** Whether the server is known to be unreachable, or not to know this browser. */
export function isAway(): boolean {
  return connection !== "open";
}

export function setConnection(now: Connection): void {
  if (now === connection) return;
  connection = now;
  listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
