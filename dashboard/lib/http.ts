// The only module that talks to the server, and reads its errors; `connection` says whether it answers.
import { makeStore } from "./store";

/** `locked`: the server was restarted, and this browser has not opened the new address yet. */
export const connection = makeStore<"open" | "away" | "locked">("open");

/** The server refused, or could not be reached (status 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Whether the server knows nothing by this name. */
export const isMissing = (error: Error | null): boolean => error instanceof ApiError && error.status === 404;

export async function get<T>(
  path: string,
  query: Record<string, string | number | null | undefined> = {},
  signal?: AbortSignal,
): Promise<T> {
  const asked = Object.entries(query).flatMap(([name, value]) =>
    value === "" || value == null ? [] : [[name, String(value)]],
  );
  const text = new URLSearchParams(asked).toString();
  return answer<T>(await reach(text ? `${path}?${text}` : path, { signal }));
}

export async function send<T>(method: "POST" | "PUT" | "DELETE", path: string, body: unknown = {}): Promise<T> {
  const headers = { "content-type": "application/json" };
  return answer<T>(await reach(path, { method, headers, body: JSON.stringify(body) }));
}

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(path, { ...init, cache: "no-store", credentials: "same-origin" });
    // A page that was just answered must not say that the server is unreachable.
    connection.set(response.status === 401 ? "locked" : "open");
    return response;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    connection.set("away");
    throw new ApiError(0, "The dashboard server does not answer. Start it again with `anamnesis dashboard`.");
  }
}

/** The JSON of a successful response; an ApiError with the server's own message otherwise. */
async function answer<T>(response: Response): Promise<T> {
  const body: unknown = await response.json().catch(() => null);
  if (response.ok && body !== null) return body as T;
  const said = typeof body === "object" && body !== null && "error" in body ? String(body.error) : "";
  throw new ApiError(response.status, said || `The server answered ${response.status}.`);
}
