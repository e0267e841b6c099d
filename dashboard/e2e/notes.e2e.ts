// A note's life in the browser: first run, write, find, edit, stale save, replace, delete, restore.
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { World } from "./world.ts";

let world: World;

beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

async function fill(page: Page, title: string, body: string): Promise<void> {
  await page.getByLabel("Title").fill(title);
  await page.getByLabel("Text, in markdown").fill(body);
}

test("an empty store explains how notes get there, and accepts a first note", async () => {
  await world.serve();
  const page = await world.open();
  await page.getByRole("heading", { name: "Nothing to remember yet." }).waitFor();
  await page.getByRole("link", { name: "Write a note" }).click();
  await fill(page, "The first one", "Some **bold** words.");
  expect(await page.getByLabel("Preview").locator("strong").textContent()).toBe("bold");
  await page.getByRole("button", { name: "Write note" }).click();
  await page.getByRole("heading", { name: "The first one" }).waitFor();
  const [note] = JSON.parse(world.run(["list", "--json"])) as { title: string; machine_id: string }[];
  expect(note).toMatchObject({ title: "The first one", machine_id: "desk" });
  await page.goto(world.url);
  await page.getByRole("heading", { name: /1 note from 1 machine/ }).waitFor();
  expect(world.complaints).toEqual([]);
});

test("search answers while you type, shows why, and opens the note", async () => {
  world.write("Webhook signatures", "The signature covers the raw body.");
  world.write("Deploys", "Push the button.");
  await world.serve();
  const page = await world.open("/browse/");
  await page.getByText("2 notes, newest first").waitFor();
  await page.getByLabel("Search notes").pressSequentially("signature");
  await page.getByText("1 note for “signature”").waitFor();
  expect(await page.locator("mark").allTextContents()).toContain("signatures");
  await page.waitForURL(/q=signature/);
  await page.getByRole("link", { name: /Webhook signatures/ }).click();
  await page.getByRole("heading", { name: "Webhook signatures" }).waitFor();
  await page.goBack();
  expect(await page.getByLabel("Search notes").inputValue()).toBe("signature");
});

test("a search that finds nothing links back to all notes", async () => {
  world.write("Deploys", "Push the button.");
  await world.serve();
  const page = await world.open("/browse/");
  await page.getByText("1 note, newest first").waitFor();
  await page.getByLabel("Search notes").fill("xylophone");
  await page.waitForURL(/q=xylophone/);
  await page.getByRole("link", { name: "show all notes" }).click();
  await page.getByText("1 note, newest first").waitFor();
  expect(await page.getByLabel("Search notes").inputValue()).toBe("");
  expect(new URL(page.url()).search).toBe("");
});

test("an edit is previewed, saved to the file and searchable", async () => {
  const id = world.write("Draft", "first text");
  await world.serve();
  const page = await world.open(`/note/?id=${id}`);
  await page.getByRole("button", { name: "Edit" }).click();
  await fill(page, "Final", "# Heading\n\nsecond text");
  await page.getByLabel("Preview").getByRole("heading", { name: "Heading" }).waitFor();
  await page.keyboard.press("Control+s");
  await page.getByRole("heading", { name: "Final" }).waitFor();
  expect(world.run(["show", id])).toContain("second text");
  expect(world.run(["search", "--", "second"])).toContain(id);
});

test("a stale save shows both versions and overwrites nothing until you confirm", async () => {
  const id = world.write("Shared", "common line");
  await world.serve();
  const page = await world.open(`/note/?id=${id}&view=edit`);
  await page.getByLabel("Text, in markdown").fill("my line");
  const file = world.file(id);
  world.editByHand(id, "common line", "their line");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "This note changed while you were editing it" }).waitFor();
  const changes = page.getByRole("group", { name: "Changes" });
  expect(await changes.textContent()).toMatch(/their line[\s\S]*my line/);
  expect(readFileSync(file, "utf8")).toContain("their line");
  await page.getByRole("button", { name: "Keep editing mine" }).click();
  expect(await page.getByLabel("Text, in markdown").inputValue()).toBe("my line");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Shared" }).waitFor();
  expect(readFileSync(file, "utf8")).toContain("my line");
});

test("a replaced note is marked as out of date and leaves the search", async () => {
  const id = world.write("Release in three steps", "one, two, three");
  await world.serve();
  const page = await world.open(`/note/?id=${id}`);
  await page.getByRole("button", { name: "Replace" }).click();
  await page.getByRole("heading", { name: "Replace with a new note" }).waitFor();
  await fill(page, "Release with one command", "make release");
  await page.getByRole("button", { name: "Replace" }).click();
  await page.getByRole("heading", { name: "Release with one command" }).waitFor();
  await page.getByRole("link", { name: "Release in three steps" }).click();
  await page.getByText("Out of date. Replaced by").waitFor();
  expect(world.run(["search", "--", "release"])).not.toContain(id);
});

test("a deleted note can be restored from its history", async () => {
  const id = world.write("Precious", "do not lose");
  await world.serve();
  const page = await world.open(`/note/?id=${id}`);
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.waitForURL("**/browse/");
  await page.getByText("There are no notes yet.").waitFor();
  await page.goto(`${world.url}/note/?id=${id}`);
  await page.getByRole("button", { name: "Restore its last version" }).click();
  await page.getByRole("heading", { name: "Precious" }).waitFor();
  expect(world.run(["show", id])).toContain("do not lose");
});

test("a note's versions can be compared and an old one restored", async () => {
  const id = world.write("Limits", "ten calls a minute");
  world.run(["sync"]);
  await world.serve();
  const page = await world.open(`/note/?id=${id}&view=edit`);
  await page.getByLabel("Text, in markdown").fill("five calls a minute");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "History" }).click();
  await page.getByText("From").first().waitFor();
  const changes = page.getByRole("group", { name: "Changes" });
  await changes.getByText("five").waitFor();
  expect(await changes.textContent()).toMatch(/ten[\s\S]*five/);
  await page.getByRole("radio", { name: /compare to added/ }).check();
  await page.getByRole("button", { name: /Restore/ }).click();
  await page.getByText("Restored.").waitFor();
  expect(world.run(["show", id])).toContain("ten calls");
});

test("an edit and a deletion of a machine-local note can be undone", async () => {
  const id = world.write("Here only", "ten calls a minute", { more: ["--scope", "machine-local"] });
  await world.serve();
  const page = await world.open(`/note/?id=${id}&view=edit`);
  await page.getByLabel("Text, in markdown").fill("five calls a minute");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "History" }).click();
  await page.getByRole("radio", { name: /compare to replaced/ }).check();
  await page.getByRole("button", { name: /Restore/ }).click();
  await page.getByText("Restored.").waitFor();
  expect(world.run(["show", id])).toContain("ten calls");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.waitForURL("**/browse/");
  await page.goto(`${world.url}/note/?id=${id}`);
  await page.getByText(/on this machine\./).waitFor();
  await page.getByRole("button", { name: "Restore its last version" }).click();
  await page.getByRole("heading", { name: "Here only" }).waitFor();
  expect(world.run(["show", id])).toContain("ten calls");
});

test("an unknown address says so and links back; a path in a note does not link there", async () => {
  const other = world.write("The other", "text");
  const id = world.write("Paths", `See [the guide](docs/guide.md) and [the other](../semantic/${other}.md).`);
  await world.serve();
  const page = await world.open("/docs/guide.md");
  await page.getByRole("heading", { name: "Page not found." }).waitFor();
  await page.getByRole("link", { name: "Go to the overview" }).click();
  await page.getByRole("heading", { name: /2 notes from 1 machine/ }).waitFor();
  expect(world.complaints.filter((said) => !said.includes("404"))).toEqual([]);
  await page.goto(`${world.url}/note/?id=${id}`);
  const article = page.getByRole("article");
  await article.getByText("the guide (docs/guide.md)").waitFor();
  expect(await article.getByRole("link").count()).toBe(1);
  await article.getByRole("link", { name: "the other" }).click();
  await page.getByRole("heading", { name: "The other" }).waitFor();
});
