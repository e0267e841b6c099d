// Listens for changes of the store and has the pages ask again; knows whether the server is there.
import type { QueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";

const RETRY_MS = 2000;

/** The doctor asks the remote too: too much to be repeated for every note that changes. */
const ASKED_ONCE = "doctor";

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
      askAgain(queries);
    });
    events.addEventListener("change", () => askAgain(queries));
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

function askAgain(queries: QueryClient): void {
  void queries.invalidateQueries({ predicate: (query) => query.queryKey[0] !== ASKED_ONCE });
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
