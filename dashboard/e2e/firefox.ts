// Debian's Firefox, driven over Marionette, because Playwright needs its own build.
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PLACE = process.env.FIREFOX ?? "/usr/bin/firefox-esr";
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
const PATIENCE_MS = 30_000;
/** A free port, which Firefox writes to a file; no network access; no first-run pages. */
const PREFERENCES = [
  'user_pref("marionette.port", 0);',
  'user_pref("app.update.enabled", false);',
  'user_pref("datareporting.policy.dataSubmissionEnabled", false);',
  'user_pref("network.captive-portal-service.enabled", false);',
  'user_pref("network.connectivity-service.enabled", false);',
  'user_pref("browser.aboutwelcome.enabled", false);',
  'user_pref("remote.prefs.recommended", true);',
].join("\n");

export function hasFirefox(): boolean {
  return existsSync(PLACE);
}

type Element = Record<string, string>;

export class Firefox {
  private number = 0;
  private buffer = Buffer.alloc(0);
  private readonly waiting = new Map<number, { done: (value: unknown) => void; failed: (error: Error) => void }>();

  private constructor(
    private readonly process: ChildProcess,
    private readonly profile: string,
    private readonly socket: Socket,
  ) {
    socket.on("data", (chunk) => this.read(chunk));
  }

  static async open(home: string): Promise<Firefox> {
    const profile = mkdtempSync(join(tmpdir(), "anamnesis-firefox-"));
    writeFileSync(join(profile, "user.js"), PREFERENCES);
    const args = ["--headless", "--no-remote", "--marionette", "--profile", profile];
    const child = spawn(PLACE, args, {
      env: { PATH: process.env.PATH, HOME: home, NODE_ENV: process.env.NODE_ENV },
      stdio: "ignore",
    });
    const port = await until(() => readPort(profile));
    const firefox = new Firefox(child, profile, connect(port, "127.0.0.1"));
    await firefox.ask("WebDriver:NewSession", {});
    return firefox;
  }

  goto(url: string): Promise<unknown> {
    return this.ask("WebDriver:Navigate", { url });
  }

  /** The value of a JavaScript expression in the page, once it is truthy. */
  value<T>(expression: string): Promise<T> {
    return until(() => this.evaluate<T>(expression));
  }

  async click(expression: string): Promise<void> {
    const element = await this.value<Element>(expression);
    await this.ask("WebDriver:ElementClick", { id: element[ELEMENT] });
  }

  async type(expression: string, text: string): Promise<void> {
    const element = await this.value<Element>(expression);
    await this.ask("WebDriver:ElementSendKeys", { id: element[ELEMENT], text });
  }

  async close(): Promise<void> {
    const ended = new Promise((done) => this.process.once("exit", done));
    this.socket.destroy();
    this.process.kill("SIGTERM");
    await ended;
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }

  private async evaluate<T>(expression: string): Promise<T | null> {
    const answer = await this.ask("WebDriver:ExecuteScript", { script: `return (${expression}) || null`, args: [] });
    return (answer as { value: T | null }).value;
  }

  private ask(command: string, params: object): Promise<unknown> {
    const id = ++this.number;
    const message = JSON.stringify([0, id, command, params]);
    return new Promise((done, failed) => {
      this.waiting.set(id, { done, failed });
      this.socket.write(`${Buffer.byteLength(message)}:${message}`);
    });
  }

  /** A message is its length, a colon, and JSON: [type, id, error, result]. */
  private read(chunk: Buffer): void {
    this.buffer = Buffer.concat([this.buffer, chunk]);
    for (;;) {
      const colon = this.buffer.indexOf(":");
      const end = colon + 1 + Number(this.buffer.subarray(0, colon));
      if (colon < 0 || this.buffer.length < end) return;
      const message: unknown = JSON.parse(this.buffer.subarray(colon + 1, end).toString());
      this.buffer = this.buffer.subarray(end);
      if (Array.isArray(message)) this.take(message as [number, number, { message: string } | null, unknown]);
    }
  }

  private take([, id, error, result]: [number, number, { message: string } | null, unknown]): void {
    const asked = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) asked?.failed(new Error(error.message));
    else asked?.done(result);
  }
}

function readPort(profile: string): number | null {
  const file = join(profile, "MarionetteActivePort");
  return existsSync(file) ? Number(readFileSync(file, "utf8")) : null;
}

async function until<T>(look: () => T | null | Promise<T | null>): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (Date.now() > end) throw new Error(`nothing came of: ${look}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}
