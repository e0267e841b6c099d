// A clash between two machines: the differences come first, at every width, and each way to resolve it works.
import { afterEach, beforeEach, expect, test } from "vitest";
import { World } from "./world.ts";

const LINES = Array.from({ length: 12 }, (_, line) => `Line ${line} is the same everywhere.`).join("\n\n");

let world: World;
let id = "";

beforeEach(() => {
  world = new World();
  id = world.write("Clash", `${LINES}\n\nWait ten seconds before the next try.`);
});
afterEach(() => world.end());

const clash = () => world.clash(id, "ten seconds", { mine: "two seconds", theirs: "five seconds" });

test("the clashing words come first, with the other machine and the time, at every width", async () => {
  clash();
  await world.serve();
  const page = await world.open("/conflicts/");
  const card = page.getByRole("region", { name: "Clash" });
  const mine = card.getByRole("region", { name: "Mine, on this machine" }).first();
  const theirs = card.getByRole("region", { name: "Theirs, on lap" }).first();
  await mine.waitFor();
  expect(await mine.locator("strong").allTextContents()).toEqual(["two"]);
  expect(await theirs.locator("strong").allTextContents()).toEqual(["five"]);
  expect(await card.getByText(/^lap changed it .*\(.*20\d\d.*\); here it was changed/).count()).toBe(1);
  expect(await card.getByText("Line 3 is the same everywhere.").first().isVisible()).toBe(false);
  expect(await card.getByRole("region", { name: "Front matter" }).count()).toBe(0);
  const left = async (region: typeof mine) => (await region.boundingBox())?.x ?? 0;
  for (const width of [1440, 820, 390]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    const stacked = (await left(mine)) === (await left(theirs));
    expect(stacked, `${width}`).toBe(width < 1440);
    expect((await theirs.boundingBox())?.width ?? 0, `${width}`).toBeGreaterThan(300);
    expect(await theirs.locator("strong").isVisible()).toBe(true);
  }
});

test("front matter is shown when it differs, below the text", async () => {
  world.run(["sync"]);
  world.run(["sync"], { machine: "lap" });
  world.editByHand(id, "title: Clash", "title: Clash of the laptop", "lap");
  clash();
  await world.serve();
  const page = await world.open("/conflicts/");
  const head = page.getByRole("region", { name: "Front matter" });
  await head.getByText("of the laptop").waitFor();
  const text = await page.getByRole("main").innerText();
  expect(text.indexOf("seconds before")).toBeLessThan(text.indexOf("In the front matter"));
});

const WAYS = [
  { name: "Keep mine", left: /two seconds/, notes: 1 },
  { name: "Take theirs", left: /five seconds/, notes: 1 },
  { name: "Keep both in one note", left: /five seconds[\s\S]*two seconds/, notes: 1 },
  { name: "Keep both as two notes", left: /two seconds/, notes: 2 },
];

for (const { name, left, notes } of WAYS) {
  test(`“${name}” resolves a clash`, async () => {
    clash();
    await world.serve();
    const page = await world.open("/conflicts/");
    await page.getByRole("button", { name }).click();
    await page.getByText("No conflicts.").waitFor();
    expect(world.run(["show", id])).toMatch(left);
    expect(JSON.parse(world.run(["list", "--json"]))).toHaveLength(notes);
  });
}

test("an edited text resolves a clash, and survives leaving the page", async () => {
  clash();
  await world.serve();
  const page = await world.open("/conflicts/");
  await page.getByRole("button", { name: "Edit by hand" }).click();
  const field = page.getByLabel("The text to keep");
  await field.fill((await field.inputValue()).replace("two seconds", "three seconds"));
  await page.reload();
  expect(await field.inputValue()).toContain("three seconds");
  await page.getByRole("button", { name: "Use this text" }).click();
  await page.getByText("No conflicts.").waitFor();
  world.run(["sync"]);
  world.run(["sync"], { machine: "lap" });
  expect(world.run(["show", id], { machine: "lap" })).toContain("three seconds");
});
