import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as z from "zod/mini";

const answer = z.object({ value: z.number() });

let calls: { path: string; token: string | null }[] = [];
let replies: (() => Response)[] = [];

beforeEach(() => {
  calls = [];
  vi.resetModules();
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => {
    calls.push({ path, token: new Headers(init.headers).get("x-anamnesis-token") });
    const reply = replies.shift();
    return reply ? Promise.resolve(reply()) : Promise.reject(new TypeError("refused"));
  });
});
afterEach(() => vi.unstubAllGlobals());

const json = (body: unknown, status = 200) => () => new Response(JSON.stringify(body), { status });
const session = (token: string) => json({ token, machine_id: "desk", version: "1", root: "/x" });

test("an answer of the wrong shape is an error, not a value", async () => {
  const { get } = await import("./http");
  replies = [json({ value: "seven" })];
  await expect(get("/api/x", answer)).rejects.toThrow();
});

test("the server's own words are what the user is told", async () => {
  const { get } = await import("./http");
  replies = [json({ error: "no note has the id", code: "x" }, 404)];
  await expect(get("/api/x", answer)).rejects.toMatchObject({ status: 404, message: "no note has the id" });
});

test("a server that is away is said so", async () => {
  const { get } = await import("./http");
  replies = [];
  await expect(get("/api/x", answer)).rejects.toMatchObject({ status: 0, message: /does not answer/ });
});

test("a write carries the token, asked for once", async () => {
  const { send } = await import("./http");
  replies = [session("first"), json({ value: 1 }), json({ value: 2 })];
  await send("POST", "/api/x", {}, answer);
  await send("POST", "/api/x", {}, answer);
  expect(calls.map((call) => [call.path, call.token])).toEqual([
    ["/api/session", null],
    ["/api/x", "first"],
    ["/api/x", "first"],
  ]);
});

test("after a restart of the server the write is sent again with its new token", async () => {
  const { send } = await import("./http");
  replies = [session("old"), json({ error: "token", code: "token" }, 403), session("new"), json({ value: 3 })];
  expect(await send("POST", "/api/x", {}, answer)).toEqual({ value: 3 });
  expect(calls.at(-1)?.token).toBe("new");
});

test("a write that is refused twice ends", async () => {
  const { send } = await import("./http");
  const refused = json({ error: "another site", code: "origin" }, 403);
  replies = [session("a"), refused, session("b"), refused];
  await expect(send("POST", "/api/x", {}, answer)).rejects.toMatchObject({ status: 403 });
  expect(calls).toHaveLength(4);
});
