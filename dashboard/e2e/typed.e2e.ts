// Nothing typed is lost: every way out of a form, a note that changes or is deleted while it is edited.
import { readFileSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { World } from "./world.ts";

let world: World;
let id = "";

beforeEach(() => {
  world = new World();
  id = world.write("Shared", "common line");
});
afterEach(() => world.end());

const body = (page: Page) => page.getByLabel("Text, in markdown");
const edit = () => `/note/?id=${id}&view=edit`;

async function typedText(page: Page, path: string): Promise<string> {
  await page.goto(world.url + path);
  await page.getByText("This is your unsaved text from").waitFor();
  return body(page).inputValue();
}

test("an edit survives leaving by link, key, Back, palette, reload and a closed tab", async () => {
  await world.serve();
  const page = await world.open(`/note/?id=${id}`);
  const ways: Record<string, () => Promise<unknown>> = {
    link: () => page.getByRole("link", { name: "Machines" }).first().click(),
    key: async () => {
      await page.getByRole("heading", { name: "Edit note" }).click();
      await page.keyboard.press("g");
      await page.keyboard.press("a");
    },
    Back: () => page.goBack(),
    palette: async () => {
      await page.keyboard.press("Control+k");
      await page.keyboard.type("machines");
      await page.getByRole("option", { name: "Go to Machines" }).click();
    },
  };
  for (const [name, leave] of Object.entries(ways)) {
    await page.goto(`${world.url}/notes/`);
    await page.getByRole("link", { name: /Shared/ }).click();
    await page.getByRole("button", { name: "Edit" }).click();
    await body(page).fill(`typed before leaving by ${name}`);
    await leave();
    await page.getByText("Your unsaved text is saved as a draft in this browser.").waitFor();
    await page.getByRole("link", { name: "Keep writing" }).click();
    await page.getByRole("heading", { name: "Edit note" }).waitFor();
    expect(await body(page).inputValue(), name).toBe(`typed before leaving by ${name}`);
    await page.getByRole("button", { name: "Discard the draft" }).click();
    expect(await body(page).inputValue(), name).toBe("common line");
  }
  await body(page).fill("typed before a reload");
  await page.reload();
  expect(await body(page).inputValue()).toBe("typed before a reload");
  await body(page).fill("typed before the tab was closed");
  await page.close({ runBeforeUnload: false });
  const second = await world.open();
  await second
    .getByRole("link", { name: /Inbox.*1/ })
    .first()
    .click();
  await second.getByText("Unsaved text").waitFor();
  await second.getByRole("link", { name: "Keep writing" }).click();
  expect(await body(second).inputValue()).toBe("typed before the tab was closed");
  await second.getByRole("button", { name: "Save", exact: true }).click();
  await second.getByRole("heading", { name: "Shared" }).waitFor();
  expect(world.run(["show", id])).toContain("typed before the tab was closed");
  await second.goto(world.url);
  await second.getByRole("heading", { level: 1 }).waitFor();
  expect(await second.getByRole("link", { name: /Inbox.*1/ }).count()).toBe(0);
});

test("a form is left with its text as a draft or without it, and a discarded text can be restored", async () => {
  await world.serve();
  const page = await world.open(edit());
  await body(page).fill("half a thought");
  await page.getByRole("button", { name: "Keep as a draft" }).click();
  await page.getByRole("heading", { name: "Shared" }).waitFor();
  expect(await typedText(page, edit())).toBe("half a thought");
  await page.getByRole("button", { name: "Discard", exact: true }).click();
  await page.getByRole("heading", { name: "Shared" }).waitFor();
  await page.getByRole("link", { name: "Undo" }).click();
  await page.getByRole("heading", { name: "Edit note" }).waitFor();
  expect(await body(page).inputValue()).toBe("half a thought");
});

test("a saved edit and a restored version can be undone", async () => {
  await world.serve();
  const page = await world.open(edit());
  await body(page).fill("a worse line");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("article").getByText("a worse line").waitFor();
  await page.keyboard.press("z");
  await page.getByRole("article").getByText("common line").waitFor();
  await page.keyboard.press("v");
  await page.getByRole("list", { name: "Versions" }).getByRole("button").nth(1).click();
  await page.getByRole("button", { name: "Restore" }).click();
  await page.getByRole("article").getByText("a worse line").waitFor();
  await page.keyboard.press("z");
  await page.getByRole("article").getByText("common line").waitFor();
});

test("drafts of a new note and of a replacement are saved too, whatever field was typed into", async () => {
  await world.serve();
  const page = await world.open("/note/new/");
  await page.getByRole("textbox", { name: "Tags" }).fill("one, two");
  await page.getByRole("link", { name: "Notes" }).first().click();
  await page.getByRole("link", { name: "New note" }).first().click();
  expect(await page.getByRole("textbox", { name: "Tags" }).inputValue()).toBe("one, two");
  await page.goto(`${world.url}/note/?id=${id}&view=supersede`);
  await page.getByLabel("Title").fill("A better title");
  await page.reload();
  expect(await page.getByLabel("Title").inputValue()).toBe("A better title");
});

test("a change from elsewhere shows while typing, and continuing keeps text, type and scope", async () => {
  await world.serve();
  const page = await world.open(edit());
  await body(page).fill("my line");
  await page.getByLabel("Type").selectOption("procedural");
  await page.getByLabel("Available on").selectOption("machine-local");
  world.editByHand(id, "common line", "their line");
  await page.getByText("This note was changed elsewhere").waitFor();
  const refused = page.waitForResponse((response) => response.status() === 409);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await refused;
  await page.waitForTimeout(200);
  expect(await page.getByRole("main").getByRole("alert").count()).toBe(0);
  await page.getByText("Compare", { exact: true }).click();
  expect(await page.getByRole("main").textContent()).toMatch(/their line[\s\S]*my line/);
  await page.getByRole("button", { name: "Keep editing mine" }).click();
  expect(await body(page).inputValue()).toBe("my line");
  expect(await page.getByLabel("Type").inputValue()).toBe("procedural");
  expect(await page.getByLabel("Available on").inputValue()).toBe("machine-local");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("heading", { name: "Shared" }).waitFor();
  const saved = readFileSync(join(world.home(), `local/procedural/${id}.md`), "utf8");
  expect(saved).toContain("my line");
});

test("an editor in which nothing was typed follows the note", async () => {
  await world.serve();
  const page = await world.open(edit());
  await body(page).waitFor();
  world.editByHand(id, "common line", "their line");
  await page.waitForFunction(() => document.querySelector("textarea")?.value === "their line");
  expect(await page.getByText("changed elsewhere").count()).toBe(0);
});

test("a note that is deleted while it is edited leaves the text in the form", async () => {
  await world.serve();
  const page = await world.open(edit());
  await body(page).fill("too good to lose");
  unlinkSync(world.file(id));
  await page.getByText("This note was deleted while you were editing it.").waitFor();
  expect(await body(page).inputValue()).toBe("too good to lose");
  await page.reload();
  await page.getByRole("link", { name: "Save it as a new note" }).click();
  await page.getByRole("heading", { name: "New note" }).waitFor();
  expect(await body(page).inputValue()).toBe("too good to lose");
  await page.getByRole("button", { name: "Write note" }).click();
  await page.getByRole("heading", { name: "Shared" }).waitFor();
  expect(world.run(["search", "--", "too good to lose"])).toContain("Shared");
});

test("nothing is lost if the server stops in mid-edit", async () => {
  await world.serve();
  const port = Number(new URL(world.url).port);
  const page = await world.open(edit());
  await body(page).fill("typed while it was away");
  world.stopServing();
  await page.getByText("The dashboard server does not answer.").first().waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("main").getByRole("alert").waitFor();
  expect(await body(page).inputValue()).toBe("typed while it was away");
  await world.serve({ port });
  // Pressed before the page has noticed that the server is back; it learns so from the response to the save.
  await page.context().request.get(world.address);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("heading", { name: "Shared" }).waitFor();
  expect(world.run(["show", id])).toContain("typed while it was away");
});

test("a note is written without a mouse: the key opens the form with the cursor in its title", async () => {
  await world.serve();
  const page = await world.open("/notes/");
  await page.getByRole("link", { name: /Shared/ }).waitFor();
  await page.keyboard.press("n");
  await page.waitForFunction(() => document.activeElement?.tagName === "INPUT");
  await page.keyboard.type("Typed by keys");
  for (let field = 0; field < 5; field += 1) await page.keyboard.press("Tab");
  await page.keyboard.type("A body");
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.getByRole("heading", { level: 1, name: "Typed by keys" }).waitFor();
  await page.getByText("A body").waitFor();
});
