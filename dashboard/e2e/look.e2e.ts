// Look and feel: axe on every page in both themes, dark mode, a phone, keyboard only.
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDemo, settle, type Pages } from "./demo.ts";
import type { World } from "./world.ts";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

let world: World;
let pages: Pages;

beforeAll(async () => {
  ({ world, pages } = await openDemo());
});
afterAll(() => world.end());

type Violation = { id: string; impact: string | null; nodes: { html: string; failureSummary?: string }[] };

async function violations(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: AXE });
  const found = await page.evaluate(async () => {
    const axe = (globalThis as unknown as { axe: { run: () => Promise<{ violations: Violation[] }> } }).axe;
    return (await axe.run()).violations;
  });
  return found.map((one) => `${one.impact} ${one.id}: ${one.nodes[0]?.html} ${one.nodes[0]?.failureSummary ?? ""}`);
}

for (const theme of ["light", "dark"] as const) {
  test(`axe finds nothing on any page (${theme})`, async () => {
    const page = await world.open("/", { bypassCSP: true });
    await page.emulateMedia({ colorScheme: theme });
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(world.url + path);
      await settle(page);
      expect(await violations(page), `${name}, ${theme}`).toEqual([]);
    }
    await page.close();
  }, 300_000);
}

test("axe finds nothing at any width, nor in a dialog", async () => {
  const page = await world.open("/", { bypassCSP: true });
  for (const width of [1440, 820, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const name of [
      "overview",
      "rich note",
      "edit",
      "versions",
      "inbox",
      "activity",
      "machines",
      "settings",
    ] as const) {
      await page.goto(world.url + pages[name]);
      await settle(page);
      expect(await violations(page), `${name} at ${width}`).toEqual([]);
    }
    await page.goto(world.url + pages.note);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").waitFor();
    expect(await violations(page), `delete at ${width}`).toEqual([]);
    for (const key of ["?", "/"]) {
      await page.goto(world.url + pages.notes);
      await settle(page);
      await page.keyboard.press(key);
      await page.getByRole("dialog").waitFor();
      expect(await violations(page), `${key} at ${width}`).toEqual([]);
    }
  }
  await page.close();
}, 300_000);

test("the chosen theme is remembered", async () => {
  const page = await world.open();
  await page.getByRole("radio", { name: "dark" }).first().click();
  await page.reload();
  expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
  await page.getByRole("radio", { name: "light" }).first().click();
  expect(await page.locator("html").getAttribute("data-theme")).toBe("light");
  await page.getByRole("radio", { name: "light" }).first().press("ArrowLeft");
  expect(await page.getByRole("radio", { name: "system" }).first().isChecked()).toBe(true);
  await page.close();
});

test("no page is wider than a phone, and every page can be reached on one", async () => {
  const page = await world.open();
  await page.setViewportSize({ width: 360, height: 740 });
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(world.url + path);
    await settle(page);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width, name).toBeLessThanOrEqual(360);
  }
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("dialog").getByRole("link", { name: "Machines" }).click();
  await page.getByRole("heading", { name: "Machines" }).waitFor();
  await page.close();
});

test("everything works with the keyboard alone: find, open, edit, move between pages", async () => {
  const page = await world.open();
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await page.getByRole("combobox").waitFor();
  await page.keyboard.type("payment gateway");
  await page.getByRole("option", { name: /Run the payment tests/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /Run the payment tests/ }).waitFor();
  await page.keyboard.press("e");
  await page.getByRole("heading", { name: "Edit note" }).waitFor();
  await page.goBack();
  for (const [key, title] of [
    ["n", "Notes"],
    ["a", "Activity"],
    ["m", "Machines"],
    ["i", "Inbox"],
  ] as const) {
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    await page.getByRole("heading", { name: title, exact: true }).waitFor();
  }
  await page.close();
});

test("the help lists what is registered on the page, and every listed key of a list works", async () => {
  const page = await world.open("/notes/");
  await page.getByRole("list", { name: "Notes" }).waitFor();
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard" });
  const listed = await help.getByRole("heading", { name: "In a list" }).locator("xpath=..").innerText();
  expect(listed.split(/\n+/)).toEqual(["In a list", "j", "Next", "k", "Previous", "Enter", "Open", "x", "Select"]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.getByText("1 note selected").waitFor();
  const second = await page.locator("[data-active] .font-medium").first().textContent();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: second ?? "" }).waitFor();
  await page.keyboard.press("?");
  await help.getByText("Supersede").waitFor();
  expect(await help.getByText("In a list").count()).toBe(0);
  await page.close();
});

test("the first tab stop is the skip link, and focus is visible", async () => {
  const page = await world.open("/notes/");
  await page.getByRole("heading", { name: "Notes" }).waitFor();
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to content");
  await page.keyboard.press("Tab");
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle);
  expect(outline).toBe("solid");
  await page.close();
});

test("nothing is fetched from another host, and the console stays silent", () => {
  expect([...world.hosts]).toEqual([new URL(world.url).host]);
  expect(world.complaints.filter((said) => !said.includes("404"))).toEqual([]);
});
