// Listens for changes of the store and has the pages ask again; knows whether the server is there.
import type { QueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";

const RETRY_MS = 2000;

let online = true;
const listeners = new Set<() => void>();

export function useOnline(): boolean {
  return useSyncExternalStore(subscribe, () => online, () => true);
}

/** Follow the server's events until the returned function is called. */
export function follow(queries: QueryClient): () => void {
  let events: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const close = () => {
    clearTimeout(timer);
    events?.close();
    events = null;
  };
  const open = () => {
    close();
    // A browser allows six connections to one server: a page nobody looks at gives its own back.
    if (document.hidden) return;
    events = new EventSource("/api/events");
    // What changed while nobody listened is not told again, so every new connection asks again.
    events.addEventListener("open", () => {
      setOnline(true);
      void queries.invalidateQueries();
    });
    events.addEventListener("change", () => void queries.invalidateQueries());
    events.addEventListener("error", () => {
      setOnline(false);
      close();
      timer = setTimeout(open, RETRY_MS);
    });
  };

  open();
  document.addEventListener("visibilitychange", open);
  return () => {
    document.removeEventListener("visibilitychange", open);
    close();
  };
}

function setOnline(now: boolean): void {
  if (now === online) return;
  online = now;
  listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
