// Finding and organising: links between notes, bulk changes, tags, filters with Back, the palette.
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { World } from "./world.ts";

let world: World;

beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

type Listed = { id: string; title: string; tags: string[]; type: string };
const listed = () => JSON.parse(world.run(["list", "--json"])) as Listed[];

test("titles, ids and addresses in a note link to the notes they name, with a preview and a backlink", async () => {
  const other = world.write("The other", "It begins here.");
  const id = world.write("Names it", `See [[the other]], ${other}, [this](anamnesis://note/${other}) and [[nobody]].`);
  await world.serve();
  const page = await world.open(`/note/?id=${id}`);
  const article = page.getByRole("article");
  await article.getByRole("link", { name: "The other" }).first().waitFor();
  expect(await article.getByRole("link").count()).toBe(3);
  expect(await article.textContent()).toContain("[[nobody]]");
  await article.getByRole("link", { name: "the other", exact: true }).hover();
  await page.getByRole("tooltip").filter({ visible: true }).getByText("It begins here.").waitFor();
  await article.getByRole("link", { name: "this" }).click();
  await page.getByRole("heading", { level: 1, name: "The other" }).waitFor();
  await page.getByRole("region", { name: "Referenced by" }).getByRole("link", { name: "Names it" }).click();
  await page.getByRole("heading", { level: 1, name: "Names it" }).waitFor();
});

test("a note's markdown and its path can be copied", async () => {
  const id = world.write("Copied", "Some text.");
  await world.serve();
  const page = await world.open(`/note/?id=${id}`);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy as markdown" }).click();
  await page.getByText("Copied as markdown.").waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("# Copied\n\nSome text.\n");
  await page.getByRole("button", { name: "Copy path" }).click();
  await page.getByText("Copied the path.").waitFor();
  expect(readFileSync(await page.evaluate(() => navigator.clipboard.readText()), "utf8")).toContain("Some text.");
});

test("several notes are tagged and deleted at once", async () => {
  for (const title of ["One", "Two", "Three"]) world.write(title, "text");
  await world.serve();
  const page = await world.open("/browse/");
  await page.getByLabel("Select One").check();
  await page.getByLabel("Select Two").check();
  const bar = page.getByRole("region", { name: "Selected notes" });
  await bar.getByText("2 notes selected").waitFor();
  await bar.getByRole("button", { name: "Add tag" }).click();
  await page.getByRole("dialog").getByLabel("Tag").fill("chosen");
  await page.getByRole("dialog").getByRole("button", { name: "Add tag" }).click();
  await page.getByText("Tagged 2 notes.").waitFor();
  expect(listed().filter((note) => note.tags.includes("chosen")).map((note) => note.title).sort()).toEqual(["One", "Two"]);
  await page.getByLabel("Select Three").check();
  await bar.getByRole("button", { name: "Select all 3 that match" }).click();
  await bar.getByText("3 notes selected").waitFor();
  await bar.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Deleted 3 notes.").waitFor();
  expect(listed()).toEqual([]);
  expect(world.complaints).toEqual([]);
});

test("two tags are merged into one", async () => {
  world.write("One", "text", { more: ["--tags", "deploy"] });
  world.write("Two", "text", { more: ["--tags", "deployment"] });
  await world.serve();
  const page = await world.open("/browse/");
  await page.getByRole("link", { name: "Tags" }).click();
  await page.getByText("2 tags, the most used first").waitFor();
  await page.getByLabel("Select deploy", { exact: true }).check();
  await page.getByLabel("Select deployment").check();
  await page.getByRole("button", { name: "Merge 2 tags" }).click();
  await page.getByRole("dialog").getByLabel("New name").fill("deploy");
  await page.getByRole("dialog").getByRole("button", { name: "Merge" }).click();
  await page.getByText("1 tag, the most used first").waitFor();
  expect(listed().map((note) => note.tags)).toEqual([["deploy"], ["deploy"]]);
});

test("Back undoes a filter, and superseded notes are found on request", async () => {
  const old = world.write("Release by hand", "three steps", { type: "procedural" });
  world.write("Release by script", "one step", { type: "procedural", more: ["--supersedes", old] });
  world.write("A fact", "text");
  await world.serve();
  const page = await world.open("/browse/");
  await page.getByText("2 notes, newest first").waitFor();
  await page.getByRole("button", { name: "procedural" }).click();
  await page.getByText("1 note, newest first").waitFor();
  await page.waitForURL(/type=procedural/);
  await page.getByLabel("Superseded notes").selectOption("show");
  await page.getByText("2 notes, newest first").waitFor();
  await page.waitForURL(/superseded=show/);
  await page.getByLabel("Sort by").selectOption("title");
  await page.waitForURL(/sort=title/);
  await page.goBack();
  await page.goBack();
  await page.getByText("1 note, newest first").waitFor();
  await page.goBack();
  await page.getByText("2 notes, newest first").waitFor();
  expect(new URL(page.url()).search).toBe("");
  await page.goto(`${world.url}/browse/?q=release&superseded=only`);
  await page.getByRole("link", { name: /Release by hand/ }).waitFor();
  expect(await page.getByRole("link", { name: /Release by script/ }).count()).toBe(0);
});

test("the palette lists pages and commands first, then notes, and says if no note contains a word", async () => {
  const id = world.write("Theme of the talk", "The signature covers the raw body.");
  await world.serve();
  const page = await world.open("/");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("theme");
  await page.getByRole("option", { name: /Theme of the talk/ }).waitFor();
  const options = await page.getByRole("option").allTextContents();
  expect(options[0]).toMatch(/^Theme: /);
  await page.getByRole("option", { name: "Theme: dark" }).click();
  expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
  await page.keyboard.press("/");
  await page.keyboard.type("sgnature");
  await page.getByRole("dialog").getByText(/No note contains “sgnature”; searched for “signature” instead\./).waitFor();
  await page.getByRole("combobox").fill("preview");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "What would Claude be told now?" }).waitFor();
  await page.goto(`${world.url}/note/?id=${id}`);
  await page.getByRole("heading", { name: "Theme of the talk" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("purge");
  await page.getByRole("option", { name: /^Purge/ }).click();
  await page.getByRole("dialog", { name: "Purge" }).getByText(`anamnesis purge ${id}`).waitFor();
});
