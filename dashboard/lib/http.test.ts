import { afterEach, beforeEach, expect, test, vi } from "vitest";

let calls: { path: string; init: RequestInit }[] = [];
let replies: (() => Response)[] = [];

beforeEach(() => {
  calls = [];
  vi.resetModules();
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => {
    calls.push({ path, init });
    const reply = replies.shift();
    return reply ? Promise.resolve(reply()) : Promise.reject(new TypeError("refused"));
  });
});
afterEach(() => vi.unstubAllGlobals());

const json =
  (body: unknown, status = 200) =>
  () =>
    new Response(JSON.stringify(body), { status });

test("the user sees the server's own message", async () => {
  const { get } = await import("./http");
  replies = [json({ error: "no note has the id", code: "x" }, 404)];
  await expect(get("/api/x")).rejects.toMatchObject({ status: 404, message: "no note has the id" });
});

test("an unreachable server is reported as such", async () => {
  const { get } = await import("./http");
  replies = [];
  await expect(get("/api/x")).rejects.toMatchObject({ status: 0, message: /does not answer/ });
});

test("a write is JSON and carries the cookie of the login", async () => {
  const { send } = await import("./http");
  replies = [json({ value: 1 })];
  expect(await send("POST", "/api/x", { a: 2 })).toEqual({ value: 1 });
  const { method, headers, body, credentials } = calls[0]?.init ?? {};
  expect({ method, type: new Headers(headers).get("content-type"), body, credentials }).toEqual({
    method: "POST",
    type: "application/json",
    body: '{"a":2}',
    credentials: "same-origin",
  });
});

test("a restarted server is distinguished from an unreachable one", async () => {
  const { get } = await import("./http");
  replies = [json({ error: "this dashboard is locked" }, 401)];
  await expect(get("/api/x")).rejects.toMatchObject({ status: 401, message: /locked/ });
});

test("any answer says that the server is back; a refused connection and a refused login say what they are", async () => {
  const { connection, get } = await import("./http");
  replies = [];
  await expect(get("/api/x")).rejects.toThrow();
  expect(connection.get()).not.toBe("open");
  replies = [json({ value: 1 }), json({ error: "locked" }, 401), json({ error: "stale" }, 409)];
  await get("/api/x");
  expect(connection.get()).toBe("open");
  await expect(get("/api/x")).rejects.toThrow();
  expect(connection.get()).not.toBe("open");
  await expect(get("/api/x")).rejects.toThrow();
  expect(connection.get()).toBe("open");
});
