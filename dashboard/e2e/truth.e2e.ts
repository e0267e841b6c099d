// What the pages say is true: health, counts, settings, machines.
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TOKEN } from "./hands.ts";
import { COMMAND, PYTHON, World } from "./world.ts";

let world: World;

beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

/** Set up the client as `init` does. */
function wire(): void {
  world.run(["init", "--yes", "--no-sync", "--no-mcp", "--remote", world.remote, "--command", COMMAND]);
  const servers = { mcpServers: { anamnesis: { command: COMMAND, args: ["serve"] } } };
  writeFileSync(join(world.folder, "home/.claude/.claude.json"), JSON.stringify(servers));
}

test("a store without hooks is not called well, even if a file cannot be read; each box links to its page", async () => {
  writeFileSync(world.file(world.write("Mine", "text")).replace(/[^/]*$/, "bad.md"), "no front matter");
  world.run(["sync"]);
  await world.serve();
  const page = await world.open();
  await page.getByRole("link", { name: /no hooks installed/ }).waitFor();
  await page.getByRole("link", { name: "1 waiting for you" }).waitFor();
  wire();
  await page.reload();
  await page.getByRole("link", { name: "all is well" }).click();
  await page
    .getByRole("heading", { name: /^Health: \d of \d+ checks found something, \d of them in the inbox$/ })
    .waitFor();
  await page.getByRole("link", { name: "in the inbox" }).click();
  await page.getByText("memory/semantic/bad.md").waitFor();
});

test("once the last of a kind is settled, the inbox shows what else waits", async () => {
  const id = world.write("Login", "text");
  writeFileSync(world.file(id).replace(/[^/]*$/, "bad.md"), "no front matter");
  world.run(["sync"]);
  world.editByHand(id, "text", TOKEN);
  await world.serve();
  const page = await world.open("/inbox/?kind=credentials");
  await page.getByRole("button", { name: "Allow this version" }).click();
  const asked = page.getByRole("dialog");
  await asked.getByText("(github-token), to the remote’s history and to all your machines").waitFor();
  await asked.getByRole("button", { name: "Keep it here" }).click();
  await page.getByRole("button", { name: "Allow this version" }).click();
  await asked.getByRole("button", { name: "Send it" }).click();
  await page.getByText("memory/semantic/bad.md").waitFor();
});

test("the row of a deletion leads to the note: to restore it, or to the note that is there again", async () => {
  const id = world.write("Login", "text");
  world.run(["sync"]);
  world.run(["delete", id, "--yes"]);
  world.run(["sync"]);
  await world.serve();
  const page = await world.open("/activity/?kind=deleted");
  await page.getByRole("link", { name: /Login/ }).click();
  await page.getByRole("button", { name: "Restore it" }).click();
  await page.getByRole("heading", { level: 1, name: "Login" }).waitFor();
  await page.goto(`${world.url}/activity/`);
  const row = page.getByRole("listitem").filter({ hasText: "deleted" });
  await row.waitFor();
  expect(await row.getByRole("button", { name: "Restore" }).count()).toBe(0);
  await row.getByRole("link").click();
  await page.getByRole("heading", { level: 1, name: "Login" }).waitFor();
  world.run(["sync"]);
  await page.goto(`${world.url}/note/?id=${id}&view=history`);
  await page.getByRole("list", { name: "Versions" }).waitFor();
  expect(await page.getByRole("button", { name: "Restore" }).count()).toBe(0); // the newest version is the note
});

test("a sync that leaves something for a person says what and where, in one sentence", async () => {
  world.editByHand(world.write("Login", "text"), "text", TOKEN);
  await world.serve();
  const page = await world.open();
  await page.getByRole("button", { name: "Sync now" }).click();
  const said = page.getByText(/^Synced.*In the inbox: 1 file waiting\.$/);
  await said.waitFor();
  expect(await said.textContent()).not.toContain("anamnesis");
  await page.getByRole("link", { name: "Show it" }).click();
  await page.getByRole("button", { name: "Allow this version" }).waitFor();
});

test("restoring a note whose file is broken offers no undo, which would delete it", async () => {
  const id = world.write("Login", "text");
  world.run(["sync"]);
  writeFileSync(world.file(id), "no front matter");
  await world.serve();
  const page = await world.open(`/note/?id=${id}`);
  await page.getByRole("button", { name: "Restore it" }).click();
  await page.getByText("Restored. The broken text is kept in undo/.").waitFor();
  expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0);
});

test("each finding can be acted on: repaired alone, or by what it says, which can be copied", async () => {
  world.write("Login", "text");
  world.run(["sync"]);
  wire();
  const settings = join(world.folder, "home/.claude/settings.json");
  writeFileSync(settings, JSON.stringify({ ...JSON.parse(readFileSync(settings, "utf8")), disableAllHooks: true }));
  writeFileSync(join(world.home(), "memory/semantic/a:b.md"), "---\n");
  chmodSync(world.home(), 0o755);
  await world.serve();
  const page = await world.open("/settings/", { permissions: ["clipboard-read", "clipboard-write"] });
  const found = (name: string) => page.getByRole("listitem").filter({ has: page.getByRole("heading", { name }) });
  await found("Hooks")
    .getByRole("button", { name: `Copy ${settings}` })
    .click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(settings);
  await found("Files left out")
    .getByRole("button", { name: `Copy ${join(world.home(), "memory")}` })
    .waitFor();
  await found("Permissions").getByRole("button", { name: "Repair" }).click();
  await page.getByText(/^made private: /).waitFor();
  await found("Permissions").waitFor({ state: "detached" });
  await found("Hooks").waitFor();
});

test("a remote takes effect at once", async () => {
  world.write("Mine", "text");
  await world.serve({ withoutRemote: true });
  const page = await world.open("/settings/?view=settings");
  await page.getByRole("status").getByText("This machine only").waitFor();
  await page.getByRole("button", { name: "Change remote" }).click();
  await page.getByLabel("remote", { exact: true }).fill(world.remote);
  await page.getByRole("button", { name: "Save" }).click();
  await page
    .getByRole("status")
    .getByText(/Not sent|Not all is sent|Never synced/)
    .waitFor();
  await page.getByRole("button", { name: "Sync now" }).click();
  await page.getByText(/Synced: yours sent/).waitFor();
  world.run(["sync"], { machine: "lap" });
  expect(world.run(["list"], { machine: "lap" })).toContain("Mine");
});

test("the pages agree on how many notes there are, and “this week” opens exactly those", async () => {
  world.python("e2e/big_store.py", [world.home(), "200"]); // all of them older than a week
  const old = world.write("Old way", "text", { more: ["--project", "shop"] });
  world.write("New way", "text", { more: ["--project", "shop", "--supersedes", old] });
  world.write("Other", "text");
  await world.serve();
  const page = await world.open();
  await page.getByRole("heading", { name: /^200 notes from 3 machines/ }).waitFor();
  await page.getByRole("link", { name: "2 new or changed" }).click();
  await page.getByText("2 notes", { exact: true }).waitFor();
  expect(await page.getByRole("list", { name: "Notes" }).getByRole("listitem").count()).toBe(2);
  await page.goto(`${world.url}/projects/?key=shop`);
  await page.getByText(/^1 note, 1 superseded, /).waitFor();
  await page.getByRole("link", { name: "All notes" }).click();
  await page.getByText("1 note", { exact: true }).waitFor();
  await page.goto(`${world.url}/notes/?q=timeout`);
  await page.getByText(/^\d\d+ notes for “timeout”, best first$/).waitFor();
});

test("Machines shows which are behind and whose hooks are silent, and can forget a machine", async () => {
  world.write("Written here", "text");
  world.run(["sync"]);
  const told = "import sys; from anamnesis.state import *; save(sys.argv[1], Entry('s', 'told', '2025-01-01', '{}'))";
  world.run(["sync"], { machine: "lap" });
  execFileSync(PYTHON, ["-c", told, world.home("lap")]);
  world.write("From the laptop", "text", { machine: "lap" });
  world.run(["sync"], { machine: "lap" });
  world.run(["sync"]);
  world.write("The laptop lacks this", "text");
  world.run(["sync"]);
  await world.serve();
  const page = await world.open("/machines/");
  await page.getByText("lap does not have the same notes as this machine.").waitFor();
  const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "lap" }) });
  await card.getByText(/^Has not seen changes made/).waitFor();
  await card.getByText(/its hooks have not run since/).waitFor();
  await card.getByRole("button", { name: "Forget lap" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Forget" }).click();
  await page.getByText("No other machine has reported yet.").waitFor();
  expect(world.run(["fleet"])).not.toContain("lap");
});
