// What the browser tests need: a browser, the command, and the built pages inside it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findBrowser } from "./browser.ts";
import { COMMAND } from "./world.ts";

const BUILT = join(import.meta.dirname, "../../server/src/anamnesis/dashboard/static/index.html");

export default function setup(): void {
  if (!findBrowser()) throw new Error("no browser found; install one (apt-get install chromium) or set CHROMIUM");
  if (!existsSync(COMMAND)) throw new Error(`${COMMAND} is not there; run \`make test\`, or set ANAMNESIS_PYTHON`);
  if (!existsSync(BUILT)) throw new Error("the pages are not built; run `make dashboard`");
}
