// Takes the screenshots of docs/images from a demo store.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { World } from "../e2e/world.ts";

const IMAGES = join(import.meta.dirname, "../../docs/images");
const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 780 } };
const PAGES = {
  overview: "/",
  notes: "/notes/",
  inbox: "/inbox/",
  activity: "/activity/",
  project: "/projects/?key=github.com/acme/shop-api",
};
const SHOTS = [
  ...Object.keys(PAGES).map((page) => ({ page, size: "desktop", colorScheme: "light" })),
  { page: "overview", size: "desktop", colorScheme: "dark" },
  { page: "notes", size: "phone", colorScheme: "light" },
] as { page: keyof typeof PAGES; size: keyof typeof SIZES; colorScheme: "light" | "dark" }[];

let world: World;

beforeAll(async () => {
  mkdirSync(IMAGES, { recursive: true });
  world = new World("desktop");
  world.python("scripts/demo_store.py", [world.home(), world.remote, "--clash"]);
  await world.serve();
});
afterAll(() => world.end());

test("every page is captured", async () => {
  const page = await world.open();
  for (const { page: name, size, colorScheme } of SHOTS) {
    await page.setViewportSize(SIZES[size]);
    await page.emulateMedia({ colorScheme });
    await page.goto(world.url + PAGES[name]);
    await page.locator("h1").first().waitFor();
    await page.waitForTimeout(900);
    await page.screenshot({ path: join(IMAGES, `${name}-${size}-${colorScheme}.png`) });
  }
  expect(world.complaints).toEqual([]);
}, 600_000);
