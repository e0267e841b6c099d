// The browser for the tests: Debian's chromium or any other, without network access.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type BrowserContext, type BrowserContextOptions } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

export function findBrowser(): string | undefined {
  return [process.env.CHROMIUM ?? "", ...PLACES].find((path) => path && existsSync(path));
}

export type Window = { context: BrowserContext; close: () => Promise<void> };

/** A browser with its own profile, which is deleted with it. */
export async function openBrowser(options: BrowserContextOptions = {}): Promise<Window> {
  const profile = mkdtempSync(join(tmpdir(), "anamnesis-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: findBrowser(),
    args: FLAGS,
    viewport: { width: 1280, height: 860 },
    ...options,
  });
  const close = async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  };
  return { context, close };
}
