// The only module that talks to the server: reads errors, and validates every response.
import type * as z from "zod/mini";
import { setConnection } from "./connection";

/** The server refused, or could not be reached (status 0). `body` is its response. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly body: unknown = null,
  ) {
    super(message);
  }
}

type Schema<T> = { parse: (value: unknown) => T } & z.ZodMiniType;

export async function get<T>(path: string, schema: Schema<T>, signal?: AbortSignal): Promise<T> {
  return schema.parse(await answer(await reach(path, { signal })));
}

export async function send<T>(
  method: "POST" | "PUT" | "DELETE",
  path: string,
  body: unknown,
  schema: Schema<T>,
): Promise<T> {
  return schema.parse(await answer(await write(method, path, body)));
}

/** A write whose answer is read by the caller. */
export function write(method: "POST" | "PUT" | "DELETE", path: string, body: unknown): Promise<Response> {
  return reach(path, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(path, { ...init, cache: "no-store", credentials: "same-origin" });
    // A page that was just answered must not say that the server is unreachable.
    setConnection(response.status === 401 ? "locked" : "open");
    return response;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    setConnection("away");
    throw new ApiError(0, "The dashboard server does not answer. Start it again with `anamnesis dashboard`.");
  }
}

/** The JSON of a successful response; an ApiError with the server's own message otherwise. */
export async function answer(response: Response): Promise<unknown> {
  const body: unknown = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  const said = typeof body === "object" && body !== null && "error" in body ? String(body.error) : "";
  throw new ApiError(response.status, said || `The server answered ${response.status}.`, body);
}
