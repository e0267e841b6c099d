// Review, settings, doctor: maintaining the store in the browser.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { World } from "./world.ts";

let world: World;

beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

function reflected(id: string, title: string): void {
  const text = `---\nid: ${id}\ntype: semantic\ntitle: ${title}\nprov_source: reflection\nconfidence: 0.6\n---\nText of ${title}.\n`;
  writeFileSync(join(world.home(), `memory/semantic/${id}.md`), text);
}

test("what a model wrote can be kept or deleted in review", async () => {
  world.write("Mine", "text");
  reflected("R1", "Good lesson");
  reflected("R2", "Bad lesson");
  await world.serve();
  const page = await world.open("/review/");
  await page.getByText("2 notes written by reflection or import").waitFor();
  const card = (title: string) => page.getByRole("article").filter({ hasText: title });
  await card("Good lesson").getByRole("button", { name: "Keep" }).click();
  await page.getByText("1 note written by reflection or import").waitFor();
  await card("Bad lesson").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Nothing to review.").waitFor();
  const left = JSON.parse(world.run(["list", "--json"])) as { id: string; tags: string[] }[];
  expect(left.find((note) => note.id === "R1")?.tags).toEqual(["reviewed"]);
  expect(left.some((note) => note.id === "R2")).toBe(false);
});

test("a long review queue renders only the visible cards, and the last one can be reached", async () => {
  world.write("Mine", "text");
  for (let number = 100; number < 220; number += 1) reflected(`R${number}`, `Lesson ${number}`);
  await world.serve();
  const page = await world.open("/review/");
  await page.getByText("120 notes written by reflection or import").waitFor();
  await page.getByRole("heading", { name: "Lesson 219" }).waitFor();
  expect(await page.getByRole("article").count()).toBeLessThan(25);
  for (const last = page.getByRole("heading", { name: "Lesson 100" }); !(await last.isVisible()); ) {
    await page.mouse.wheel(0, 900);
    await page.waitForTimeout(40);
  }
  expect(await page.getByRole("article").count()).toBeLessThan(25);
});

test("the doctor shows its quick checks at once and the slow ones when they are done", async () => {
  world.write("Mine", "text");
  await world.serve();
  const page = await world.openTab();
  await page.route("**/api/doctor/secrets", async (route) => {
    await page.getByText("1 check still running").waitFor();
    await route.continue();
  });
  await page.context().request.get(world.address);
  await page.goto(`${world.url}/doctor/`);
  await page.getByText("Still checking.").first().waitFor();
  await page.getByText("no note seems to hold a credential").waitFor();
  expect(await page.getByText("Still checking.").count()).toBe(0);
});

test("a setting can be changed, an invalid value is refused, and a secret is never shown", async () => {
  world.write("Mine", "text");
  await world.serve();
  const page = await world.open("/settings/");
  await page.getByRole("button", { name: "Change sync_timeout" }).click();
  await page.getByLabel("sync_timeout", { exact: true }).fill("soon");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(/is not a number of seconds/).waitFor();
  await page.getByLabel("sync_timeout", { exact: true }).fill("20");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("from config.json").waitFor();
  expect(world.run(["config", "get", "sync_timeout"]).trim()).toBe("20");
  await page.getByRole("button", { name: "Change reflection.api_key" }).click();
  await page.getByLabel("reflection.api_key", { exact: true }).fill("never-shown-key");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("********").waitFor();
  expect(await page.content()).not.toContain("never-shown-key");
});

test("an unreadable file is reported on the first page and by the doctor", async () => {
  world.write("Mine", "text");
  writeFileSync(join(world.home(), "memory/semantic/broken.md"), "no front matter");
  await world.serve();
  const page = await world.open();
  await page.getByRole("heading", { name: /1 file unreadable/ }).waitFor();
  await page.getByRole("link", { name: "1 file that cannot be read" }).click();
  await page.getByText(/broken\.md/).waitFor();
  await page.getByRole("button", { name: "Rebuild the index" }).click();
  await page.getByText("The index was rebuilt: 1 note.").waitFor();
});
