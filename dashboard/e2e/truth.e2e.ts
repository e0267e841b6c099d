// What the pages say is true: health, history, settings, counts, machines.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { COMMAND, PYTHON, World } from "./world.ts";

let world: World;

beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

/** Set up the client as `init` does. */
function wire(): void {
  world.run(["init", "--yes", "--no-sync", "--no-mcp", "--remote", world.remote, "--command", COMMAND]);
  const servers = { mcpServers: { anamnesis: { command: COMMAND, args: ["serve"] } } };
  writeFileSync(join(world.folder, "home/.claude/.claude.json"), JSON.stringify(servers));
}

test("a store without hooks is not called healthy, and each part of the verdict links to its page", async () => {
  world.write("Mine", "text");
  world.run(["sync"]);
  await world.serve();
  const page = await world.open();
  const verdict = page.getByRole("heading", { level: 1 });
  await verdict.getByRole("link", { name: /no hooks installed/ }).waitFor();
  expect(await verdict.getByText("healthy").count()).toBe(0);
  const links = await verdict.getByRole("link").evaluateAll((found) => found.map((one) => one.getAttribute("href")));
  expect(links).toEqual(["/browse/", "/machines/", "/doctor/", "/machines/", "/browse/"]);
  wire();
  await page.reload();
  await verdict.getByRole("link", { name: "healthy" }).waitFor();
  await verdict.getByRole("link", { name: "healthy" }).click();
  await page.getByRole("heading", { name: "Doctor" }).waitFor();
});

test("history is a diary of titles by day and machine, and a commit shows its notes", async () => {
  const id = world.write("Retry with `backoff`", "Wait **ten** seconds.");
  world.write("Second thing", "text");
  world.run(["sync"]);
  world.run(["sync"], { machine: "lap" });
  world.editByHand(id, "ten", "five", "lap");
  world.run(["sync"], { machine: "lap" });
  world.run(["sync"]);
  await world.serve();
  const page = await world.open("/history/");
  const desk = page.getByRole("region", { name: "desk", exact: true });
  const lap = page.getByRole("region", { name: "lap", exact: true });
  await desk.getByText("Second thing").waitFor();
  expect(await desk.locator("code").textContent()).toBe("backoff");
  expect(await lap.getByRole("listitem").count()).toBe(1);
  await lap.getByRole("link", { name: /Retry with/ }).click();
  await page.getByRole("heading", { level: 1, name: "1 note on lap" }).waitFor();
  const changes = page.getByRole("group", { name: "Changes" });
  await changes.getByText("five").waitFor();
  expect(await changes.textContent()).not.toContain("updated_at");
  expect(await page.getByText(`${id}.md`).count()).toBe(0);
  await page.goBack();
  await desk.getByText("Second thing").click();
  await page.getByRole("heading", { level: 1, name: "2 notes on desk" }).waitFor();
  await page.locator(".prose strong", { hasText: "ten" }).waitFor();
});

test("a remote takes effect at once", async () => {
  world.write("Mine", "text");
  await world.serve({ withoutRemote: true });
  const page = await world.open("/settings/");
  await page.getByRole("status").getByText("This machine only").waitFor();
  await page.getByRole("button", { name: "Change remote" }).click();
  await page.getByLabel("remote", { exact: true }).fill(world.remote);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("status").getByText(/not pushed|Changes to sync|Never synced/).waitFor();
  await page.getByRole("button", { name: "Sync now" }).click();
  await page.getByText(/Synced: yours pushed/).waitFor();
  world.run(["sync"], { machine: "lap" });
  expect(world.run(["list"], { machine: "lap" })).toContain("Mine");
});

test("the pages agree on how many notes there are", async () => {
  const old = world.write("Old way", "text", { more: ["--project", "shop"] });
  world.write("New way", "text", { more: ["--project", "shop", "--supersedes", old] });
  world.write("Other", "text");
  await world.serve();
  const page = await world.open();
  await page.getByRole("heading", { name: /^2 notes from 1 machine/ }).waitFor();
  await page.getByText(/^2 notes, 1 superseded, in /).waitFor();
  await page.getByRole("link", { name: /^shop\s*1$/ }).click();
  await page.getByText(/^1 note, 1 superseded, /).waitFor();
  await page.getByRole("link", { name: "All notes" }).click();
  await page.getByText("1 note, newest first").waitFor();
  await page.getByRole("link", { name: "Browse" }).first().click();
  await page.getByText("2 notes, newest first").waitFor();
  await page.goto(`${world.url}/doctor/`);
  await page.getByText(/: 2 notes, 1 superseded$/).waitFor();
});

test("a bad finding is red in the navigation, and a list in a right-to-left note stays on the page", async () => {
  writeFileSync(world.file(world.write("Readable", "text")).replace(/[^/]*$/, "bad.md"), "no front matter");
  const note = world.write("כותרת", "שורה\n\n- פריט\n\n> ציטוט\n");
  await world.serve();
  const page = await world.open(`/note/?id=${note}`, { viewport: { width: 390, height: 800 } });
  await page.getByText("פריט").waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("link", { name: /Doctor/ }).locator(".bg-bad").first().waitFor();
});

test("what a panel counts is what its words say", async () => {
  world.python("e2e/big_store.py", [world.home(), "1200"]); // half of them older than the weeks of the chart
  await world.serve();
  const page = await world.open();
  await page.getByRole("heading", { name: /^1,188 notes from 1 machine/ }).waitFor();
  await page.getByText("All notes by type").waitFor();
  const weeks = page.getByRole("list", { name: "Notes written, week by week" }).getByRole("link");
  const figures = await weeks.evaluateAll((found) => found.map((one) => Number(/: (\d+) note/.exec(one.ariaLabel ?? "")?.[1])));
  await page.getByText(`${figures.reduce((sum, one) => sum + one, 0)} notes in these weeks`).waitFor();
  await page.goto(`${world.url}/doctor/`);
  await page.getByText(/: 1,188 notes, 12 superseded$/).waitFor();
  await page.goto(`${world.url}/browse/?q=restore`);
  await page.getByText(/for “restore”, best first/).waitFor();
  expect(await page.getByLabel("Sort by").locator("option:checked").textContent()).toBe("Best first");
});

test("who learned what follows from who committed it", async () => {
  const id = world.write("Written here", "ten seconds");
  world.run(["sync"]);
  world.run(["sync"], { machine: "lap" });
  world.editByHand(id, "title: Written here", "title: Corrected on the laptop", "lap");
  world.run(["sync"], { machine: "lap" });
  world.run(["sync"]);
  await world.serve();
  const page = await world.open("/machines/");
  const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "lap" }) });
  await card.getByRole("link", { name: "Corrected on the laptop" }).waitFor();
  await card.getByText("Has the same notes as this machine").waitFor();
  expect(await card.locator("dl").textContent()).toMatch(/Last sync(just now|\d+ )/);
  await page.goto(world.url);
  const learned = page.getByRole("region", { name: "What each machine learned last" });
  await learned.getByRole("link", { name: "Corrected on the laptop" }).waitFor();
});

test("Machines shows which are behind and whose hooks are silent, and can forget a machine", async () => {
  world.write("Written here", "text");
  world.run(["sync"]);
  const told = "import sys; from anamnesis.state import *; save(sys.argv[1], Entry('s', 'told', '2025-01-01', '{}'))";
  world.run(["sync"], { machine: "lap" });
  execFileSync(PYTHON, ["-c", told, world.home("lap")]);
  world.write("From the laptop", "text", { machine: "lap" });
  world.run(["sync"], { machine: "lap" });
  world.run(["sync"]);
  world.write("The laptop lacks this", "text");
  world.run(["sync"]);
  await world.serve();
  const page = await world.open("/machines/");
  await page.getByText("lap does not have the same notes as this machine.").waitFor();
  const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "lap" }) });
  await card.getByText(/^Behind by 1 commit/).waitFor();
  await card.getByText(/its hooks have not run since 2025-01-01/).waitFor();
  await card.getByRole("button", { name: "Forget lap" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Forget" }).click();
  await page.getByText("No other machine has reported yet.").waitFor();
  expect(world.run(["fleet"])).not.toContain("lap");
});
