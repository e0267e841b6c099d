// Two machines: notes arrive without a reload, and the server may go away and come back.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { World } from "./world.ts";

let world: World;

beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

test("the sync button fetches the other machine's note, without a reload", async () => {
  world.write("Here already", "mine");
  world.write("From the laptop", "theirs", { machine: "lap" });
  world.run(["sync"], { machine: "lap" });
  await world.serve();
  const page = await world.open("/browse/");
  await page.getByText("1 note, newest first").waitFor();
  await page.getByRole("button", { name: "Sync now" }).click();
  await page.getByText(/Synced: 1 commit received/).waitFor();
  await page.getByRole("link", { name: /From the laptop/ }).waitFor();
  await page.goto(`${world.url}/machines/`);
  await page.getByRole("heading", { name: "lap" }).waitFor();
  expect(world.complaints).toEqual([]);
});

test("a long sync shows its steps one after the other", async () => {
  world.python("e2e/big_store.py", [world.home("lap"), "400", "L"]);
  world.run(["sync"], { machine: "lap" });
  world.python("e2e/big_store.py", [world.home(), "400", "D"]);
  await world.serve();
  const page = await world.open("/machines/");
  await page.getByRole("heading", { name: "Machines" }).waitFor();
  await page.evaluate(() => {
    const seen: Set<string> = new Set();
    Object.assign(globalThis, { seen });
    new MutationObserver(() => {
      const present = document.querySelector("[aria-current=step]");
      if (present) seen.add(`${present.querySelector(".font-medium")?.textContent}`);
      if (present?.querySelector("progress")) seen.add("a bar");
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
  });
  await page.getByRole("button", { name: "Sync now" }).click();
  await page.getByText(/Synced: .* received, yours pushed/).waitFor();
  const seen = await page.evaluate(() => [...(globalThis as unknown as { seen: Set<string> }).seen]);
  expect(seen.filter((word) => word !== "a bar").length).toBeGreaterThanOrEqual(3);
  expect(seen).toContain("a bar");
  expect(world.complaints).toEqual([]);
});

test("a note written by hand or by another process appears without a reload", async () => {
  world.write("First", "one");
  await world.serve();
  const page = await world.open("/browse/");
  await page.getByRole("link", { name: /First/ }).waitFor();
  world.write("Second", "two");
  await page.getByRole("link", { name: /Second/ }).waitFor();
  const text = "---\nid: HAND\ntype: semantic\ntitle: By hand\n---\ntyped in an editor\n";
  writeFileSync(join(world.home(), "memory/semantic/HAND.md"), text);
  await page.getByRole("link", { name: /By hand/ }).waitFor();
});

test("the page says when the server is gone, and notices when it is back", async () => {
  world.write("Still here", "text");
  await world.serve();
  const port = Number(new URL(world.url).port);
  const page = await world.open("/browse/");
  await page.getByRole("link", { name: /Still here/ }).waitFor();
  world.stopServing();
  await page.getByText("The dashboard server does not answer.").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("zebra");
  await page.getByRole("dialog").getByRole("alert").waitFor();
  expect(await page.getByText("Nothing matches.").count()).toBe(0);
  await page.keyboard.press("Escape");
  expect(await page.getByRole("link", { name: /Still here/ }).isVisible()).toBe(true);
  await page.getByRole("link", { name: /Still here/ }).click();
  await page.getByText("so you stay on this page").waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  expect(new URL(page.url()).pathname).toBe("/browse/");
  expect(await page.getByRole("link", { name: /Still here/ }).isVisible()).toBe(true);
  world.write("Written meanwhile", "text");
  await world.serve({ port });
  // The new server does not know this browser until its own address is opened, in any tab.
  await page.getByText("The dashboard was restarted.").waitFor();
  await (await world.openTab()).goto(world.address);
  await page.bringToFront();
  await page.getByRole("link", { name: /Written meanwhile/ }).waitFor();
  await page.getByText("The dashboard was restarted.").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "New note" }).click();
  await page.getByLabel("Title").fill("After the restart");
  await page.getByLabel("Text, in markdown").fill("text");
  await page.getByRole("button", { name: "Write note" }).click();
  await page.getByRole("heading", { name: "After the restart" }).waitFor();
});
