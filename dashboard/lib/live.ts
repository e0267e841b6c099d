// Listens for changes to the store and refetches; notices when the server goes away and comes back.
import type { QueryClient } from "@tanstack/react-query";
import { connection, get } from "./http";

const RETRY_MS = 2000;

/** Checks that contact the remote, and comparing all notes, are too much for every note that changes. */
const ASKED_ONCE = ["doctor", "duplicates"];

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
    // A browser allows six connections to one server, so a hidden page releases its own.
    if (document.hidden) return;
    events = new EventSource("/api/events");
    // Changes made between two connections are not announced again, so each new connection refetches.
    events.addEventListener("open", () => {
      connection.set("open");
      askAgain(queries);
    });
    events.addEventListener("change", () => askAgain(queries));
    events.addEventListener("error", () => {
      close();
      if (connection.get() === "open") connection.set("away");
      // An EventSource does not say why it failed; the response to a plain request does.
      void get("/api/status").catch(() => undefined);
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
  void queries.invalidateQueries({ predicate: (query) => !ASKED_ONCE.includes(String(query.queryKey[0])) });
}
