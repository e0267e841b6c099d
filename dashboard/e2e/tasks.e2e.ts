// The eleven things people come for, by mouse and by keyboard alone.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { choose, expectFocus, fill, keys, moveTo, tabTo, takeBack, TOKEN, visit, type Ids } from "./hands.ts";
import { World } from "./world.ts";

describe.each(["mouse", "keyboard"] as const)("by %s", (hand) => {
  const byMouse = hand === "mouse";
  let world: World;
  let ids: Ids;
  let page: Page;

  beforeAll(async () => {
    world = new World();
    ids = fill(world);
    await world.serve();
    page = await world.open();
    await page.getByRole("heading", { level: 1 }).waitFor();
  });
  afterAll(() => world.end());

  const goTo = (name: string, key: string) => visit(page, byMouse, name, key);
  const undo = () => takeBack(page, byMouse);

  test("find by half-remembered words", async () => {
    if (byMouse) {
      await goTo("Notes", "n");
      await page.getByLabel("Search notes").click();
      await page.keyboard.type("backof wait");
      await page.getByRole("link", { name: /Retry with backoff/ }).click();
    } else {
      await choose(page, "backof wait", /Retry with backoff/);
    }
    await page.getByRole("heading", { level: 1, name: "Retry with backoff" }).waitFor();
  });

  test("correct it", async () => {
    if (byMouse) {
      await page.getByRole("button", { name: "Edit" }).click();
      await page.getByLabel("Text, in markdown").fill("Wait ten seconds before the next try.");
      await page.getByRole("button", { name: "Save", exact: true }).click();
    } else {
      await page.waitForTimeout(200); // the palette that found it has closed
      await keys(page, "e");
      await page.waitForFunction(() => document.activeElement?.tagName === "INPUT");
      for (let field = 0; field < 5; field += 1) await keys(page, "Tab");
      await keys(page, "ControlOrMeta+a");
      await page.keyboard.type("Wait ten seconds before the next try.");
      await keys(page, "ControlOrMeta+s");
    }
    await page.getByRole("article").getByText("Wait ten seconds before the next try.").waitFor();
    expect(world.run(["show", ids.retry])).toContain("ten seconds");
  });

  test("resolve a conflict", async () => {
    await goTo("Inbox", "i");
    await page.getByText("Conflict", { exact: true }).waitFor();
    if (byMouse) await page.getByRole("button", { name: "Take theirs" }).click();
    else {
      await moveTo(page, /Clash/);
      await keys(page, "t");
    }
    await page.getByText(/^Resolved “Clash”/).waitFor();
    await page.getByText("Conflict", { exact: true }).waitFor({ state: "detached" });
    expect(world.run(["show", ids.clash])).toContain("five seconds");
    await expectFocus(page);
  });

  test("undo a resolution: the conflict is back", async () => {
    await undo();
    await page.getByRole("group", { name: "Mine, on this machine" }).getByText("two").waitFor();
    await page.getByRole("group", { name: "Theirs, on lap" }).getByText("five").waitFor();
    expect(world.run(["show", ids.clash])).toContain("two seconds");
  });

  test("get rid of a secret", async () => {
    await page.getByText(/looks like a credential \(github-token\)/).waitFor();
    if (byMouse) await page.getByRole("button", { name: "Remove it" }).click();
    else {
      await moveTo(page, /Registry login/);
      await keys(page, "r");
    }
    await page.getByText(/^Removed\. Change the credential/).waitFor();
    expect(world.run(["show", ids.registry])).toContain("the token is [removed]");
    expect(world.run(["history", ids.registry, "--json"])).not.toContain(TOKEN);
    await expectFocus(page);
  });

  test("find duplicates, and merge them", async () => {
    await page.getByText("2 notes that seem to say the same").waitFor();
    if (byMouse) await page.getByRole("button", { name: "Merge into one" }).click();
    else {
      await moveTo(page, /seem to say the same/);
      await keys(page, "y");
    }
    await page.getByText(/^Merged 2 notes into/).waitFor();
    const found = JSON.parse(world.run(["search", "--json", "rebase branch"])) as { title: string }[];
    expect(found.filter((note) => note.title === "Rebase before a push")).toHaveLength(1);
    await expectFocus(page);
  });

  test("what was told, and why", async () => {
    await goTo("Activity", "a");
    const row = page.getByRole("link", { name: /A session without a note yet/ });
    await row.waitFor();
    if (byMouse) await row.click();
    else {
      await moveTo(page, /A session without a note yet/);
      await keys(page, "Enter");
    }
    await page.getByText("How to run the tests").first().waitFor();
    await page.getByText(/basic to the project/).waitFor();
  });

  test("what did the laptop learn today, and what yesterday", async () => {
    await goTo("Machines", "m");
    const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "lap" }) });
    if (byMouse) await card.getByRole("link", { name: "All it did" }).click();
    else {
      await tabTo(page, /^Forget lap$/);
      await tabTo(page, /^All it did$/);
      await keys(page, "Enter");
    }
    await page.getByRole("heading", { level: 1, name: "Activity" }).waitFor();
    const chip = async (name: string) => {
      if (byMouse) await page.getByRole("button", { name, exact: true }).click();
      else {
        await tabTo(page, new RegExp(`^${name}$`));
        await keys(page, "Enter");
      }
    };
    await chip("Today");
    await page.getByText("Learned on the laptop").waitFor();
    expect(await page.getByText("Retry with backoff").count()).toBe(0);
    await chip("Yesterday");
    await page.getByText("Nothing happened here.").waitFor();
  });

  test("delete, and undo", async () => {
    if (byMouse) {
      await goTo("Notes", "n");
      await page.getByRole("link", { name: /Doomed/ }).click();
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    } else {
      await choose(page, "doomed", /Doomed/);
      await page.getByRole("heading", { level: 1, name: "Doomed" }).waitFor();
      await choose(page, "delete this", /^Delete this note$/);
      await page.getByRole("dialog", { name: "Delete this note?" }).waitFor();
      await tabTo(page, /^Delete$/);
      await keys(page, "Enter");
    }
    await page.getByText("Deleted “Doomed”.").waitFor();
    expect(world.run(["list"])).not.toContain("Doomed");
    await undo();
    expect(world.run(["list"])).toContain("Doomed");
  });

  test("supersede", async () => {
    await page.goto(`${world.url}/note/?id=${ids.old}`);
    await page.getByRole("heading", { level: 1, name: "Deploy by hand" }).waitFor();
    if (byMouse) {
      await page.getByRole("button", { name: "Supersede" }).click();
      await page.getByLabel("Title").fill("Deploy with the script");
      await page.getByRole("button", { name: "Replace" }).click();
    } else {
      await keys(page, "s");
      await page.waitForFunction(() => document.activeElement?.tagName === "INPUT");
      await keys(page, "ControlOrMeta+a");
      await page.keyboard.type("Deploy with the script");
      await keys(page, "ControlOrMeta+Enter");
    }
    await page.getByRole("heading", { level: 1, name: "Deploy with the script" }).waitFor();
    expect(world.run(["search", "deploy"])).not.toContain("Deploy by hand");
  });

  test("stop capturing a project", async () => {
    await goTo("Projects", "p");
    const capture = page.getByRole("switch", { name: "Capture its sessions" });
    if (byMouse) {
      await page.getByRole("link", { name: "shop" }).click();
      await capture.click({ force: true });
    } else {
      await page.getByRole("link", { name: "shop" }).waitFor();
      await moveTo(page, /^shop/);
      await keys(page, "Enter");
      await page.getByRole("heading", { level: 1, name: "shop" }).waitFor();
      await tabTo(page, /^Capture its sessions$/);
      await keys(page, "Space");
    }
    await page.getByText("Sessions of shop are no longer captured.").waitFor();
    expect(world.run(["config", "get", "capture_exclude"])).toContain("shop");
    expect(await capture.isChecked()).toBe(false);
    await expectFocus(page);
  });

  test("no page complained", () => {
    expect(world.complaints.filter((said) => !said.includes("404"))).toEqual([]);
  });
});
