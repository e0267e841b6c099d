// What each finding of the doctor is called here, and how bad it is next to others.
import { plural } from "@/lib/format";
import type { Check, Overview } from "@/lib/types";

/** A memory that does not work comes first: broken hooks matter more than one file that cannot be read. */
const RANK = ["hooks", "mcp", "store", "index", "remote", "repository"];

const NAMES: Record<string, string> = {
  mcp: "MCP server",
  files: "Files of notes",
  waiting: "Waiting files",
  secrets: "Credentials in notes",
  "old secrets": "Credentials in old versions",
  log: "Hook failures",
  activity: "Sessions",
  "left out": "Files left out",
};

export function findingName(check: Check): string {
  const name = NAMES[check.name] ?? check.name;
  return name.charAt(0).toUpperCase() + name.slice(1);
}

const KEPT_BACK = ["files", "waiting"];

/** What the inbox lists is not announced here again, nor that git lacks the files that wait there. */
export function isInInbox(check: Check, checks: Check[]): boolean {
  if (check.place === "/inbox/") return true;
  const keptBack = checks.some((other) => other.state !== "ok" && KEPT_BACK.includes(other.name));
  return check.name === "history" && check.state === "warn" && keptBack;
}

const BADNESS = { bad: 0, warn: 1, ok: 2 };

export function worstFirst(checks: Check[]): Check[] {
  const rank = (check: Check) => (RANK.includes(check.name) ? RANK.indexOf(check.name) : RANK.length);
  return checks.toSorted((one, other) => BADNESS[one.state] - BADNESS[other.state] || rank(one) - rank(other));
}

/** The worst finding that is not in the inbox, if there is one. */
export function worstOf(checks: Check[]): Check | undefined {
  return worstFirst(checks).find((check) => check.state !== "ok" && !isInInbox(check, checks));
}

/** Health in a few words: the worst finding. */
export function headlineOf(checks: Check[], data: Overview): { text: string; state: "good" | "warn" | "bad" } {
  const worst = worstOf(checks);
  if (!worst) return { text: "all is well", state: "good" };
  return { text: inShort(worst, data), state: worst.state === "bad" ? "bad" : "warn" };
}

function inShort(check: Check, data: Overview): string {
  const broken = check.state === "bad";
  const words: Record<string, string> = {
    hooks: broken ? "hooks are broken" : "no hooks installed",
    mcp: broken ? "MCP server is broken" : "MCP server not registered",
    activity: `${plural(data.uncaptured, "session")} not captured`,
    log: "hooks failed this week",
  };
  return words[check.name] ?? `${findingName(check).toLowerCase()} needs attention`;
}
