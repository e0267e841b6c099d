// Hostile notes stay text; hostile pages get nothing.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { World } from "./world.ts";

const BODY = `<script>window.hit = 1</script>
<img src=x onerror="window.hit = 2">
<iframe srcdoc="<script>parent.hit = 3</script>"></iframe>

[click](javascript:window.hit=4) [data](data:text/html,<script>window.hit=5</script>)
[vb](vbscript:x) ![picture](https://evil.example/p.png) <a href="javascript:window.hit=6">raw</a>

\`\`\`html
<script>window.hit = 7</script>
\`\`\`
`;

let world: World;
let stranger: Server;
let strange = "";

beforeAll(async () => {
  world = new World();
  stranger = createServer((_, answer) => answer.setHeader("content-type", "text/html").end("<h1>Stranger</h1>"));
  await new Promise<void>((ready) => stranger.listen(0, "127.0.0.1", ready));
  strange = `http://localhost:${(stranger.address() as AddressInfo).port}`;
});
afterAll(async () => {
  stranger.close();
  await world.end();
});

test("script in a title, a body, a link or a tag stays text wherever it is shown", async () => {
  const title = "<script>window.hit = 8</script><img src=x onerror=window.hit=9>";
  const id = world.write(title, BODY, { more: ["--tags", "<b onclick=hit=1>"] });
  await world.serve();
  const page = await world.open(`/note/?id=${id}`);
  const views = [
    "/",
    "/notes/",
    "/notes/?q=script",
    "/projects/?key=global",
    "/activity/",
    `/note/?id=${id}&view=edit`,
  ];
  for (const path of [`/note/?id=${id}`, `/note/?id=${id}&view=history`, ...views]) {
    await page.goto(world.url + path);
    await page.waitForTimeout(300);
    expect(await page.evaluate(() => "hit" in window), path).toBe(false);
  }
  await page.goto(`${world.url}/note/?id=${id}`);
  const article = page.getByRole("article");
  await article.getByText("click").waitFor();
  expect(await article.locator("script, img, iframe").count()).toBe(0);
  const links = await article.locator("a").evaluateAll((found) => found.map((link) => link.getAttribute("href")));
  expect(links.filter((href) => href && !href.startsWith("https://"))).toEqual([]);
  await article.getByText("click").click();
  expect(await page.evaluate(() => "hit" in window)).toBe(false);
  expect([...world.hosts]).toEqual([new URL(world.url).host]);
});

test("an inline script that got onto a page would not run", async () => {
  const page = await world.open();
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.hit = 10";
    document.head.append(script);
    return "hit" in window;
  });
  expect(ran).toBe(false);
});

test("a page of another origin can neither read, nor write, nor frame", async () => {
  world.write("Private", "secret text");
  const page = await world.open();
  await page.goto(strange);
  const tried = await page.evaluate(async (url) => {
    const attempt = async (path: string, init?: RequestInit) => {
      try {
        return await (await fetch(url + path, init)).text();
      } catch {
        return "refused";
      }
    };
    const body = JSON.stringify({
      type: "semantic",
      title: "Planted",
      body: "",
      project: "x",
      scope: "portable",
      tags: [],
    });
    return {
      notes: await attempt("/api/notes"),
      session: await attempt("/api/status"),
      json: await attempt("/api/notes", { method: "POST", body, headers: { "content-type": "application/json" } }),
      form: await attempt("/api/notes", { method: "POST", body, mode: "no-cors" }),
      gone: await attempt("/api/notes/any", { method: "DELETE" }),
    };
  }, world.url);
  expect(tried).toEqual({ notes: "refused", session: "refused", json: "refused", form: "refused", gone: "refused" });
  expect(world.run(["list"])).not.toContain("Planted");
  const framed = await page.evaluate(async (url) => {
    const frame = document.createElement("iframe");
    frame.src = url;
    document.body.append(frame);
    await new Promise((loaded) => frame.addEventListener("load", loaded));
    return frame.contentDocument === null;
  }, world.url);
  expect(framed).toBe(true);
  const inside = page.frames().find((frame) => frame !== page.mainFrame());
  expect(await inside?.locator("nav").count()).toBe(0);
});
