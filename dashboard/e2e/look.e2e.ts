// How it looks and handles: axe on every page in both themes, dark mode, a phone, the keyboard alone.
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { World } from "./world.ts";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

let world: World;
let note = "";
let rich = "";

/** Whatever markdown can hold: every kind of block, wide ones among them, in two directions. */
const RICH = [
  "# A heading\n\nText with `code`, **bold**, a [link](https://example.org) and a footnote[^1].",
  "- [ ] to do\n- [x] done\n  1. nested",
  `| ${"a wide column ".repeat(8)} | b |\n|---|---|\n| 1 | 2 |`,
  `\`\`\`sh\n${"very-long-command --with-options ".repeat(8)}\n\`\`\``,
  "> quoted\n\n---\n\n![a picture](https://example.org/p.png)\n\nשלום עולם\n\n[^1]: The note.",
].join("\n\n");

beforeAll(async () => {
  world = new World();
  world.python("scripts/demo_store.py", [world.home(), `${world.folder}/demo.git`]);
  const notes = JSON.parse(world.run(["search", "--json", "--", "payment gateway"])) as { id: string }[];
  note = notes[0]?.id ?? "";
  rich = world.write("Rich `markdown`", RICH);
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
  map: "/map/",
  settings: "/settings/",
  doctor: "/doctor/",
  "rich note": `/note/?id=${rich}`,
  "deleted notes": "/history/?view=deleted",
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

test("axe finds nothing at any width, nor in a dialog", async () => {
  const page = await world.open("/", { bypassCSP: true });
  for (const width of [1440, 820, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const name of ["overview", "rich note", "edit", "versions", "history", "machines", "settings"] as const) {
      await page.goto(world.url + pages()[name]);
      await settle(page);
      expect(await violations(page), `${name} at ${width}`).toEqual([]);
    }
    await page.goto(world.url + pages().note);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").waitFor();
    expect(await violations(page), `delete at ${width}`).toEqual([]);
    await page.goto(world.url + pages().edit);
    await page.getByLabel("Title").fill("Changed");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog").waitFor();
    expect(await violations(page), `leave at ${width}`).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
    for (const key of ["?", "/"]) {
      await page.goto(world.url + pages().browse);
      await settle(page);
      await page.keyboard.press(key);
      await page.getByRole("dialog").waitFor();
      expect(await violations(page), `${key} at ${width}`).toEqual([]);
    }
  }
  await page.close();
}, 300_000);

test("what can be clicked is 24 pixels high and wide, inline links apart", async () => {
  const page = await world.open();
  for (const name of ["overview", "versions", "edit", "settings", "conflicts", "history"] as const) {
    await page.goto(world.url + pages()[name]);
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

test("a tab is named after its note, code in titles is code, and a page that follows has its own name", async () => {
  const page = await world.open(`/note/?id=${rich}`);
  await page.getByRole("heading", { level: 1 }).locator("code", { hasText: "markdown" }).waitFor();
  expect(await page.title()).toBe("Rich markdown · Anamnesis");
  await page.getByRole("link", { name: "Browse" }).first().click();
  await page.waitForFunction(() => document.title === "Browse · Anamnesis");
  await page.close();
});

test("a week of the chart says its figure and leads to the history of it", async () => {
  const page = await world.open();
  const weeks = page.getByRole("list", { name: "Notes written, week by week" }).getByRole("link");
  await weeks.last().hover();
  await page.getByText(/^Week of .*: \d+ notes?/).waitFor();
  await weeks.nth(20).click();
  await page.getByText(/^Up to \d+ \w+ 20\d\d/).waitFor();
  await page.close();
});

test("only the six sizes of the scale are drawn", async () => {
  const page = await world.open();
  const sizes = new Set<string>();
  for (const path of Object.values(pages())) {
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

test("the chosen theme stays chosen", async () => {
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
