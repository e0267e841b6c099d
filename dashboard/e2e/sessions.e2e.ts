// Sessions, what the next one would be told, and a project's page, in the browser.
import { mkdirSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { World } from "./world.ts";

const SHOP = "github.com/acme/shop";
const own = { more: ["--project", SHOP] };

let world: World;

beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

/** Start a session in the shop project, as Claude Code's hook does. */
function startSession(session: string): void {
  const folder = join(world.folder, "shop");
  mkdirSync(folder, { recursive: true });
  execFileSync("git", ["init", "--quiet", "-b", "main", folder]);
  execFileSync("git", ["-C", folder, "config", "remote.origin.url", `https://${SHOP}.git`]);
  world.run(["inject"], { input: JSON.stringify({ session_id: session, source: "startup", cwd: folder }) });
}

test("a session shows what it was told and at what cost, and links to the notes", async () => {
  world.write("How to run the tests", "Run `make test`.", { type: "procedural", ...own });
  startSession("11111111-aaaa");
  await world.serve();
  const page = await world.open("/");
  await page.getByRole("link", { name: "Sessions" }).first().click();
  await page.getByText("1 session, the latest first").waitFor();
  const row = page.getByRole("link", { name: /No note yet/ });
  expect(await row.textContent()).toMatch(/github\.com\/acme\/shop.*given 1 note in \d+ characters/);
  await row.click();
  await page.getByRole("heading", { name: /Given \d+ characters of notes when it started/ }).waitFor();
  await page.getByRole("heading", { name: "In full" }).waitFor();
  await page.getByRole("link", { name: "How to run the tests" }).click();
  await page.getByRole("heading", { level: 1, name: "How to run the tests" }).waitFor();
  expect(world.complaints).toEqual([]);
});

test("an unknown session says so", async () => {
  await world.serve();
  const page = await world.open("/sessions/?id=nobody");
  await page.getByRole("heading", { name: "Session not found." }).waitFor();
  await page.getByRole("link", { name: "All sessions" }).click();
  await page.getByText("No sessions yet.").waitFor();
});

test("the preview shows what Claude would be told, with reasons, and follows the store", async () => {
  world.write("How to run the tests", "Run `make test`.", { type: "procedural", ...own });
  await world.serve();
  const page = await world.open(`/preview/?project=${encodeURIComponent(SHOP)}`);
  const told = page.getByRole("region", { name: "Shown in full (1)" });
  await told.getByText("How to run the tests").waitFor();
  expect(await told.textContent()).toMatch(/basic to the project \+\d/);
  world.write("Never push on Friday", "A rule.", own);
  await page.getByRole("region", { name: "Shown in full (2)" }).waitFor();
  await page.getByRole("tab", { name: "The text itself" }).click();
  const text = await page.getByRole("region", { name: "The text" }).textContent();
  const printed = world.run(["inject", "--project", SHOP]);
  expect(text?.trim()).toBe(printed.trim());
  await page.goBack();
  await page.getByRole("region", { name: "Shown in full (2)" }).waitFor();
});

test("a project's page is reached from the overview and shows what is basic to it", async () => {
  world.write("How to run the tests", "Run `make test`.", { type: "procedural", ...own });
  world.write("Elsewhere", "Something else.", { more: ["--project", "other"] });
  startSession("22222222-bbbb");
  await world.serve();
  const page = await world.open("/");
  await page.getByRole("region", { name: "Projects" }).getByRole("link", { name: new RegExp(SHOP) }).click();
  await page.getByRole("heading", { level: 1, name: SHOP }).waitFor();
  await page.getByRole("region", { name: "Fundamentals" }).getByRole("link", { name: "How to run the tests" }).waitFor();
  const facts = page.getByRole("region", { name: "Size and use" });
  expect(await facts.textContent()).toMatch(/1 note, .*1 session on this machine/);
  await page.getByRole("link", { name: "What would Claude be told now?" }).click();
  await page.getByRole("region", { name: "Shown in full (1)" }).waitFor();
  expect(world.complaints).toEqual([]);
});
