// Finish: target and type sizes, tab titles, the chart.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDemo, settle, type Pages } from "./demo.ts";
import type { World } from "./world.ts";

let world: World;
let pages: Pages;

beforeAll(async () => {
  ({ world, pages } = await openDemo());
});
afterAll(() => world.end());

test("click targets are at least 24 pixels high and wide, except inline links", async () => {
  const page = await world.open();
  for (const name of ["overview", "versions", "edit", "settings", "conflicts", "history"] as const) {
    await page.goto(world.url + pages[name]);
    await settle(page);
    const small = await page.evaluate(() =>
      [...document.querySelectorAll("button, select, summary, label:has(input[type=radio])")]
        .map((element) => ({ box: element.getBoundingClientRect(), html: element.outerHTML.slice(0, 120) }))
        .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 24))
        .map(({ html }) => html),
    );
    expect(small, name).toEqual([]);
  }
  await page.close();
});

test("a tab is named after its note, code in titles is code, and the next page has its own name", async () => {
  const page = await world.open(pages["rich note"]);
  await page.getByRole("heading", { level: 1 }).locator("code", { hasText: "markdown" }).waitFor();
  expect(await page.title()).toBe("Rich markdown · Anamnesis");
  await page.goto(world.url + pages.session);
  await page.getByRole("main").locator("li code", { hasText: "database is locked" }).first().waitFor();
  expect(await page.getByRole("main").getByText("`").count()).toBe(0);
  await page.goto(world.url + pages["rich note"]);
  await page.getByRole("link", { name: "Browse" }).first().click();
  await page.waitForFunction(() => document.title === "Browse · Anamnesis");
  await page.close();
});

test("a week in the chart shows its figure and links to its history", async () => {
  const page = await world.open();
  const weeks = page.getByRole("list", { name: "Notes written, week by week" }).getByRole("link");
  await weeks.last().hover();
  await page.getByText(/^Week of .*: \d+ notes?/).waitFor();
  await weeks.nth(20).click();
  await page.getByText(/^Up to \d+ \w+ 20\d\d/).waitFor();
  await page.close();
});

test("only the six sizes of the type scale are used", async () => {
  const page = await world.open();
  const sizes = new Set<string>();
  for (const path of Object.values(pages)) {
    await page.goto(world.url + path);
    await settle(page);
    const found = await page.evaluate(() =>
      [...document.querySelectorAll("body *")]
        .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim()))
        .filter((element) => !element.closest("code, kbd, script, sup"))
        .map((element) => getComputedStyle(element).fontSize),
    );
    found.forEach((size) => sizes.add(size));
  }
  expect([...sizes].length, [...sizes].join(", ")).toBeLessThanOrEqual(6);
  await page.close();
});
