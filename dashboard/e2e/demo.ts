// A store of demo notes, all its pages, and how to wait until one is fully rendered.
import type { Page } from "playwright-core";
import { World } from "./world.ts";

/** Every kind of markdown block, including wide ones, in both directions. */
const RICH = [
  "# A heading\n\nText with `code`, **bold**, a [link](https://example.org) and a footnote[^1].",
  "- [ ] to do\n- [x] done\n  1. nested",
  `| ${"a wide column ".repeat(8)} | b |\n|---|---|\n| 1 | 2 |`,
  `\`\`\`sh\n${"very-long-command --with-options ".repeat(8)}\n\`\`\``,
  "> quoted\n\n---\n\n![a picture](https://example.org/p.png)\n\nשלום עולם\n\n[^1]: The note.",
].join("\n\n");

export type Pages = ReturnType<typeof pagesOf>;

/** A served store with a bit of everything, and the paths of its pages. */
export async function openDemo(): Promise<{ world: World; pages: Pages }> {
  const world = new World("desktop");
  world.python("scripts/demo_store.py", [world.home(), world.remote, "--clash"]);
  const notes = JSON.parse(world.run(["search", "--json", "--", "payment gateway"])) as { id: string }[];
  const rich = world.write("Rich `markdown`", RICH);
  await world.serve();
  return { world, pages: pagesOf(notes[0]?.id ?? "", rich) };
}

const pagesOf = (note: string, rich: string) => ({
  overview: "/",
  notes: "/notes/",
  search: "/notes/?q=restore&type=semantic",
  tags: "/notes/?view=tags",
  note: `/note/?id=${note}`,
  edit: `/note/?id=${note}&view=edit`,
  versions: `/note/?id=${note}&view=history`,
  "new note": "/note/new/",
  inbox: "/inbox/",
  activity: "/activity/",
  session: "/activity/?session=demo-session",
  projects: "/projects/",
  project: "/projects/?key=github.com/acme/shop-api",
  machines: "/machines/",
  health: "/settings/",
  settings: "/settings/?view=settings",
  "rich note": `/note/?id=${rich}`,
  "missing note": "/note/?id=NOBODY",
});

export async function settle(page: Page): Promise<void> {
  await page.locator("h1, p.font-serif").first().waitFor();
  await page.waitForFunction(() => !document.querySelector("[role=status] .animate-pulse"));
}
