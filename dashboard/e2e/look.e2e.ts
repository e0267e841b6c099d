// How it looks and handles: axe on every page in both themes, dark mode, a phone, the keyboard alone.
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { World } from "./world.ts";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

let world: World;
let note = "";

beforeAll(async () => {
  world = new World();
  world.python("scripts/demo_store.py", [world.home(), `${world.folder}/demo.git`]);
  const notes = JSON.parse(world.run(["search", "--json", "--", "payment gateway"])) as { id: string }[];
  note = notes[0]?.id ?? "";
  await world.serve();
});
afterAll(() => world.end());

const pages = () => ({
  overview: "/",
  browse: "/browse/",
  search: "/browse/?q=restore",
  note: `/note/?id=${note}`,
  edit: `/note/?id=${note}&view=edit`,
  versions: `/note/?id=${note}&view=history`,
  "new note": "/note/new/",
  history: "/history/",
  machines: "/machines/",
  conflicts: "/conflicts/",
  review: "/review/",
  sessions: "/sessions/",
  session: "/sessions/?id=demo-session",
  preview: "/preview/?project=github.com/acme/shop-api",
  "preview as text": "/preview/?project=github.com/acme/shop-api&view=text",
  projects: "/project/",
  tags: "/tags/",
  project: "/project/?key=github.com/acme/shop-api",
  settings: "/settings/",
  doctor: "/doctor/",
  "missing note": "/note/?id=NOBODY",
});

type Violation = { id: string; impact: string | null; nodes: { html: string; failureSummary?: string }[] };

async function violations(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: AXE });
  const found = await page.evaluate(async () => {
    const axe = (globalThis as unknown as { axe: { run: () => Promise<{ violations: Violation[] }> } }).axe;
    return (await axe.run()).violations;
  });
  return found.map((one) => `${one.impact} ${one.id}: ${one.nodes[0]?.html} ${one.nodes[0]?.failureSummary ?? ""}`);
}

async function settle(page: Page): Promise<void> {
  await page.locator("h1, p.font-serif").first().waitFor();
  await page.waitForFunction(() => !document.querySelector("[role=status] .animate-pulse"));
}

for (const theme of ["light", "dark"] as const) {
  test(`axe finds nothing on any page (${theme})`, async () => {
    const page = await world.open("/", { bypassCSP: true });
    await page.emulateMedia({ colorScheme: theme });
    for (const [name, path] of Object.entries(pages())) {
      await page.goto(world.url + path);
      await settle(page);
      expect(await violations(page), `${name}, ${theme}`).toEqual([]);
    }
    await page.close();
  });
}

test("the chosen theme stays chosen", async () => {
  const page = await world.open();
  await page.getByRole("radio", { name: "dark" }).first().click();
  await page.reload();
  expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
  await page.getByRole("radio", { name: "light" }).first().click();
  expect(await page.locator("html").getAttribute("data-theme")).toBe("light");
  await page.getByRole("radio", { name: "system" }).first().click();
  await page.close();
});

test("no page is wider than a phone, and every page can be reached on one", async () => {
  const page = await world.open();
  await page.setViewportSize({ width: 360, height: 740 });
  for (const [name, path] of Object.entries(pages())) {
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

test("the keyboard alone finds, opens, edits and moves between pages", async () => {
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
  for (const [key, title] of [["b", "Browse"], ["h", "History"], ["m", "Machines"], ["d", "Doctor"]] as const) {
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    await page.getByRole("heading", { name: title, exact: true }).waitFor();
  }
  await page.keyboard.press("g");
  await page.keyboard.press("b");
  await page.getByRole("list", { name: "Notes" }).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  const second = await page.locator("[data-active] .font-medium").first().textContent();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: second ?? "" }).waitFor();
  await page.close();
});

test("the tab key reaches the page first by its skip link, and focus can be seen", async () => {
  const page = await world.open("/browse/");
  await page.getByRole("heading", { name: "Browse" }).waitFor();
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to the page");
  await page.keyboard.press("Tab");
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle);
  expect(outline).toBe("solid");
  await page.close();
});

test("nothing is fetched from another host, and the console stays silent", () => {
  expect([...world.hosts]).toEqual([new URL(world.url).host]);
  expect(world.complaints.filter((said) => !said.includes("404"))).toEqual([]);
});
