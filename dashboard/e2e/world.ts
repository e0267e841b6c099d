// The world of one browser test: stores in a temporary folder, the real command, a running dashboard, a browser page.
import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { openBrowser, type Window } from "./browser.ts";

const HERE = import.meta.dirname;

/** The Python under test, and the command installed next to it. */
export const PYTHON = process.env.ANAMNESIS_PYTHON ?? join(HERE, "../../.venv/bin/python");
export const COMMAND = join(dirname(PYTHON), "anamnesis");

export class World {
  readonly folder = mkdtempSync(join(tmpdir(), "anamnesis-e2e-"));
  readonly remote = join(this.folder, "remote.git");
  /** Unexpected messages on the page's console. */
  readonly complaints: string[] = [];
  readonly hosts = new Set<string>();
  private server: ChildProcess | null = null;
  private window: Window | null = null;
  url = "";
  /** The address that the server printed: `url` with the token that logs a browser in. */
  address = "";

  /** `here` is the machine whose dashboard is served. */
  constructor(readonly here = "desk") {
    mkdirSync(join(this.folder, "home"));
    execFileSync("git", ["init", "--quiet", "--bare", "-b", "main", this.remote]);
  }

  home(machine = this.here): string {
    return machine === this.here ? join(this.folder, "home/.anamnesis") : join(this.folder, machine);
  }

  env(machine = this.here): NodeJS.ProcessEnv {
    return {
      NODE_ENV: process.env.NODE_ENV,
      PATH: process.env.PATH,
      HOME: join(this.folder, "home"),
      CLAUDE_CONFIG_DIR: join(this.folder, "home/.claude"),
      ANAMNESIS_HOME: this.home(machine),
      ANAMNESIS_MACHINE_ID: machine,
      ANAMNESIS_GIT_REMOTE: this.remote,
    };
  }

  /** Run the command on a machine, as its user would. */
  run(args: string[], { machine = this.here, input = "" } = {}): string {
    return execFileSync(COMMAND, args, { env: this.env(machine), input, encoding: "utf8" });
  }

  python(script: string, args: string[]): void {
    execFileSync(PYTHON, [join(HERE, "..", script), ...args], { env: this.env() });
  }

  /** Write a note from the command line; returns its id. */
  write(title: string, body: string, { machine = this.here, type = "semantic", more = [] as string[] } = {}): string {
    return this.run(["write", "--type", type, "--title", title, ...more], { machine, input: body }).trim();
  }

  /** The file of a note; edited by hand like any other. */
  file(id: string, { machine = this.here, type = "semantic" } = {}): string {
    return join(this.home(machine), "memory", type, `${id}.md`);
  }

  editByHand(id: string, from: string, to: string, machine = this.here): void {
    const file = this.file(id, { machine });
    writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
  }

  /** Change one line of a note on two machines, so that it is held on this one. */
  clash(id: string, line: string, { mine, theirs }: { mine: string; theirs: string }): void {
    this.run(["sync"]);
    this.run(["sync"], { machine: "lap" });
    this.editByHand(id, line, theirs, "lap");
    this.run(["sync"], { machine: "lap" });
    this.editByHand(id, line, mine);
    spawnSync(COMMAND, ["sync"], { env: this.env() }); // fails, because the note is held
  }

  async serve({ port = 0, withoutRemote = false } = {}): Promise<void> {
    const env = { ...this.env(), ...(withoutRemote && { ANAMNESIS_GIT_REMOTE: "" }) };
    const server = spawn(COMMAND, ["dashboard", "--port", String(port)], { env });
    this.server = server;
    this.address = await new Promise((found, failed) => {
      server.stderr.on("data", (chunk: Buffer) => {
        const address = /http:\/\/localhost:\d+\/\?token=\S+/.exec(chunk.toString());
        if (address) found(address[0]);
      });
      server.on("exit", (code) => failed(new Error(`the dashboard ended with ${code}`)));
    });
    this.url = new URL(this.address).origin;
  }

  stopServing(): void {
    this.server?.removeAllListeners("exit");
    this.server?.kill("SIGTERM");
    this.server = null;
  }

  /** A page of the dashboard in a browser that is logged in. */
  async open(path = "/", options: BrowserContextOptions = {}): Promise<Page> {
    const page = await this.openTab(options);
    await page.context().request.get(this.address);
    await page.goto(this.url + path);
    return page;
  }

  /** An empty tab in the browser of this world. */
  async openTab(options: BrowserContextOptions = {}): Promise<Page> {
    this.window ??= await openBrowser(options);
    const page = await this.window.context.newPage();
    page.on("console", (said) => {
      if (said.type() === "error") this.complaints.push(said.text());
    });
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("request", (request) => this.hosts.add(new URL(request.url()).host));
    return page;
  }

  async end(): Promise<void> {
    await this.window?.close();
    const server = this.server;
    // It may still write to the folder, for a check that it has not finished.
    const ended = server && server.exitCode === null && new Promise((done) => server.once("close", done));
    this.stopServing();
    await ended;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
