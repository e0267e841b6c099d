// One test in Firefox, if Debian's package is installed: log in, look, search, open, edit, save.
import { afterEach, beforeEach, expect, test } from "vitest";
import { Firefox, hasFirefox } from "./firefox.ts";
import { World } from "./world.ts";

let world: World;
let firefox: Firefox | null = null;

beforeEach(() => {
  world = new World();
});
afterEach(async () => {
  await firefox?.close();
  await world.end();
});

const named = (kinds: string, name: string) =>
  `[...document.querySelectorAll(${JSON.stringify(kinds)})].find((one) => one.textContent.includes(${JSON.stringify(name)}))`;

test.skipIf(!hasFirefox())(
  "a note is found, edited and saved in Firefox",
  async () => {
    const id = world.write("Retry with backoff", "Wait ten seconds.");
    await world.serve();
    const browser = await Firefox.open(world.folder);
    firefox = browser;
    await browser.goto(world.address);
    await browser.value(named("h1", "1 note from 1 machine"));
    expect(await browser.value<string>("location.search === '' && 'no token'")).toBe("no token");
    await browser.goto(`${world.url}/notes/`);
    await browser.type("document.querySelector('input[type=search], input[aria-label=\"Search notes\"]')", "backof");
    await browser.value("document.querySelector('mark')");
    await browser.click(named("a", "Retry with backoff"));
    await browser.click(named("button", "Edit"));
    await browser.type("document.querySelector('textarea')", "Then give up. ");
    await browser.click(named("button[type=submit]", "Save"));
    await browser.value(named("article", "Then give up."));
    expect(world.run(["show", id])).toContain("Then give up.");
  },
  180_000,
);
