// Takes a screenshot of every page, light and dark, desktop and phone, from a demo store into docs/images.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { World } from "../e2e/world.ts";

const IMAGES = join(import.meta.dirname, "../../docs/images");
const SIZES = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 780 },
};

type Shot = { name: string; path: string; palette?: string };

let world: World;

beforeAll(async () => {
  mkdirSync(IMAGES, { recursive: true });
  world = new World("desktop");
  world.python("scripts/demo_store.py", [world.home(), world.remote, "--clash"]);
  await world.serve();
});
afterAll(() => world.end());

test("every page is captured", async () => {
  for (const shot of shots()) await take(shot);
  expect(world.complaints).toEqual([]);
}, 600_000);

function shots(): Shot[] {
  const found = JSON.parse(world.run(["search", "--json", "--", "payment gateway"])) as { id: string }[];
  const note = `/note/?id=${found[0]?.id}`;
  return [
    { name: "overview", path: "/" },
    { name: "browse", path: "/browse/" },
    { name: "search", path: "/browse/?q=restore" },
    { name: "palette", path: "/", palette: "restore" },
    { name: "note", path: note },
    { name: "edit", path: `${note}&view=edit` },
    { name: "versions", path: `${note}&view=history` },
    { name: "history", path: "/history/" },
    { name: "machines", path: "/machines/" },
    { name: "conflicts", path: "/conflicts/" },
    { name: "review", path: "/review/" },
    { name: "sessions", path: "/sessions/" },
    { name: "session", path: "/sessions/?id=demo-session" },
    { name: "preview", path: "/preview/?project=github.com/acme/shop-api" },
    { name: "tags", path: "/tags/" },
    { name: "project", path: "/project/?key=github.com/acme/shop-api" },
    { name: "settings", path: "/settings/" },
    { name: "doctor", path: "/doctor/" },
  ];
}

async function take(shot: Shot): Promise<void> {
  const page = await world.open(shot.path);
  for (const [size, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await page.goto(world.url + shot.path);
      await page.locator("h1").first().waitFor();
      await page.waitForTimeout(900);
      if (shot.palette) {
        await page.keyboard.press("/");
        await page.keyboard.type(shot.palette);
        await page.waitForTimeout(500);
      }
      await page.screenshot({ path: join(IMAGES, `${shot.name}-${size}-${colorScheme}.png`) });
    }
  }
  await page.close();
}
