// Every action can be undone: from the toast right after it, or later from the list of deleted notes.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { World } from "./world.ts";

let world: World;
let id = "";

beforeEach(() => {
  world = new World();
  id = world.write("Shared", "common line");
});
afterEach(() => world.end());

test("deleting, keeping and replacing can be undone from the toast", async () => {
  const text = "---\nid: R1\ntype: semantic\ntitle: Lesson\nprov_source: reflection\nconfidence: 0.6\n---\nText.\n";
  writeFileSync(join(world.home(), "memory/semantic/R1.md"), text);
  await world.serve();
  const page = await world.open("/review/");
  const undo = () => page.getByRole("button", { name: "Undo" }).last().click();
  await page.getByRole("button", { name: "Keep" }).click();
  await page.getByText("Nothing to review.").waitFor();
  await undo();
  await page.getByRole("article").filter({ hasText: "Lesson" }).waitFor();
  await page.goto(`${world.url}/note/?id=${id}`);
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.waitForURL("**/browse/");
  await undo();
  await page.getByRole("link", { name: /Shared/ }).waitFor();
  expect(world.run(["show", id])).toContain("common line");
  await page.goto(`${world.url}/note/?id=${id}&view=supersede`);
  await page.getByLabel("Title").fill("Newer");
  await page.getByRole("button", { name: "Replace" }).click();
  await page.getByRole("heading", { name: "Newer" }).waitFor();
  await undo();
  await page.getByRole("heading", { name: "Shared" }).waitFor();
  await page.getByText("Undone.").waitFor();
  await page.getByText("Out of date").waitFor({ state: "detached" });
  expect(world.run(["list"])).not.toContain("Newer");
});

test("a resolved conflict can be undone from the toast", async () => {
  world.clash(id, "common line", { mine: "my line", theirs: "their line" });
  await world.serve();
  const page = await world.open("/conflicts/");
  await page.getByRole("button", { name: "Take theirs" }).click();
  await page.getByText("No conflicts.").waitFor();
  expect(world.run(["show", id])).toContain("their line");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Undone.").waitFor();
  expect(world.run(["show", id])).toContain("my line");
});

test("deleted notes are listed with their last text and can be restored there", async () => {
  world.run(["delete", id, "--yes"]);
  await world.serve();
  const page = await world.open("/history/");
  await page.getByRole("tab", { name: "Deleted notes" }).click();
  await page.getByText("Shared").click();
  await page.getByText("common line").waitFor();
  await page.getByRole("button", { name: "Restore" }).click();
  await page.getByRole("heading", { name: "Shared" }).waitFor();
  expect(world.run(["show", id])).toContain("common line");
});

test("any bulk change can be undone from the toast", async () => {
  const text = (name: string) =>
    `---\nid: ${name}\ntype: semantic\ntitle: Lesson ${name}\nprov_source: reflection\nconfidence: 0.6\n---\nText.\n`;
  for (const name of ["R1", "R2"]) writeFileSync(join(world.home(), `memory/semantic/${name}.md`), text(name));
  await world.serve();
  const page = await world.open("/browse/");
  const dialog = page.getByRole("dialog");
  const acts: { button: string; sure: string; said: string; fill?: () => Promise<unknown> }[] = [
    { button: "Add tag", sure: "Add tag", said: "Tagged", fill: () => dialog.getByLabel("Tag").fill("chosen") },
    { button: "Type", sure: "Change type", said: "Changed", fill: () => dialog.getByLabel("Type").selectOption("procedural") },
    { button: "Project", sure: "Move", said: "Moved", fill: () => dialog.getByLabel("Project").fill("shop") },
    { button: "Keep", sure: "Keep", said: "Kept" },
    { button: "Delete", sure: "Delete", said: "Deleted" },
  ];
  const state = () => {
    const notes = JSON.parse(world.run(["list", "--json"])) as { id: string; tags: string[]; type: string; project: string }[];
    return notes.map(({ id, tags, type, project }) => [id, tags, type, project].join(" ")).sort();
  };
  const before = state();
  for (const { button, sure, said, fill } of acts) {
    await page.getByLabel("Select Lesson R1").check();
    await page.getByLabel("Select Lesson R2").check();
    await page.getByRole("region", { name: "Selected notes" }).getByRole("button", { name: button, exact: true }).click();
    await fill?.();
    await dialog.getByRole("button", { name: sure, exact: true }).click();
    const toast = page.getByRole("status").locator("div").filter({ hasText: `${said} 2 notes.` });
    await toast.waitFor();
    expect(state(), button).not.toEqual(before);
    await toast.getByRole("button", { name: "Undo" }).click();
    await expect.poll(state, { timeout: 30_000, interval: 500, message: button }).toEqual(before);
    await toast.waitFor({ state: "detached" });
    expect(await page.getByText("could not be restored").count()).toBe(0);
  }
});
