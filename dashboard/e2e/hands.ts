// A store with something for every task, and what a hand on the keyboard does.
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { World } from "./world.ts";

export const TOKEN = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;
const SAME = "Rebase a branch on main before you push it, never merge main into the branch, so it stays linear";

export type Ids = Record<"retry" | "clash" | "doomed" | "old" | "registry", string>;

/** A store with something for every task. */
export function fill(world: World): Ids {
  const ids = {
    retry: world.write("Retry with backoff", "Wait ten secnds before the next try."),
    clash: world.write("Clash", "Wait ten seconds."),
    doomed: world.write("Doomed", "This one goes."),
    old: world.write("Deploy by hand", "Copy the files."),
    registry: world.write("Registry login", "The mirror is slow."),
  };
  world.write("How to run the tests", "Run `make test`.", { type: "procedural", more: ["--project", "shop"] });
  world.write("Rebase before a push", `${SAME}.`);
  world.write("Rebase before a push", `${SAME}!`);
  world.clash(ids.clash, "ten seconds", { mine: "two seconds", theirs: "five seconds" });
  world.write("Learned on the laptop", "text", { machine: "lap" });
  world.run(["sync"], { machine: "lap" });
  try {
    world.run(["sync"]);
  } catch {
    // The note is still held.
  }
  appendFileSync(world.file(ids.registry), `the token is ${TOKEN}\n`);
  const folder = join(world.folder, "work");
  mkdirSync(join(folder, ".anamnesis"), { recursive: true });
  appendFileSync(join(folder, ".anamnesis/project"), "shop\n");
  world.run(["inject"], { input: JSON.stringify({ session_id: "s-1", cwd: folder, source: "startup" }) });
  return ids;
}

/** After every task the keyboard has a place on the page. */
export async function expectFocus(page: Page): Promise<void> {
  await page.waitForFunction(() => document.activeElement !== document.body);
}

/** Press Tab until a control with this name has the focus. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 120; presses += 1) {
    const at = await page.evaluate(() => {
      const node = document.activeElement as HTMLElement | null;
      return node?.ariaLabel ?? node?.closest("label")?.textContent ?? node?.textContent ?? "";
    });
    if (name.test(at.trim())) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${name}`);
}

export async function keys(page: Page, ...pressed: string[]): Promise<void> {
  for (const key of pressed) await page.keyboard.press(key);
}

/** Move through a list with j until the row with this text is active. */
export async function moveTo(page: Page, text: RegExp): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press("j");
    await page.waitForTimeout(60);
    if (text.test((await page.locator("[data-active]").first().textContent()) ?? "")) return;
  }
  throw new Error(`j does not reach ${text}`);
}

/** Choose something in the palette. */
export async function choose(page: Page, typed: string, name: RegExp): Promise<void> {
  await keys(page, "/");
  await page.keyboard.type(typed);
  await page.getByRole("option", { name }).waitFor();
  await keys(page, "Enter");
}

/** Go to a page by its link or by its keys. */
export async function visit(page: Page, byMouse: boolean, name: string, key: string): Promise<void> {
  if (byMouse) await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name }).click();
  else await keys(page, "g", key);
  await page.getByRole("heading", { level: 1, name }).waitFor();
}

/** Undo what was just done. */
export async function takeBack(page: Page, byMouse: boolean): Promise<void> {
  if (byMouse) await page.getByRole("button", { name: "Undo" }).last().click();
  else await keys(page, "z");
  await page.getByText("Undone.").waitFor();
}
