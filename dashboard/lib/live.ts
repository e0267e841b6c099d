// Listens for changes of the store and has the pages ask again; knows whether the server is there.
import type { QueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { api } from "./api";
import { ApiError } from "./http";

const RETRY_MS = 2000;

/** The doctor asks the remote too: too much to be repeated for every note that changes. */
const ASKED_ONCE = "doctor";

/** `locked`: the server was started again, and this browser has not opened the address it printed. */
export type Connection = "open" | "away" | "locked";

let connection: Connection = "open";
const listeners = new Set<() => void>();

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => connection, () => "open");
}

/** Whether the server is known to be unreachable, or not to know this browser. */
export function isAway(): boolean {
  return connection !== "open";
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
    // A browser allows six connections to one server: a hidden page gives its own back.
    if (document.hidden) return;
    events = new EventSource("/api/events");
    // Changes made between two connections are not announced again, so each new connection asks.
    events.addEventListener("open", () => {
      setConnection("open");
      askAgain(queries);
    });
    events.addEventListener("change", () => askAgain(queries));
    events.addEventListener("error", () => {
      close();
      if (connection === "open") setConnection("away");
      void whyClosed().then((why) => {
        if (connection !== "open") setConnection(why);
      });
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

/** An EventSource does not say why it failed, so one plain question is asked. */
async function whyClosed(): Promise<Connection> {
  return api.session().then(
    () => "away",
    (error: unknown) => (error instanceof ApiError && error.status === 401 ? "locked" : "away"),
  );
}

function setConnection(now: Connection): void {
  if (now === connection) return;
  connection = now;
  listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
