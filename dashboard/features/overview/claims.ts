// What the overview says about the store, each with the page that shows why.
import { syncSummary } from "@/features/sync/sync-summary";
import { count, plural } from "@/lib/format";
import type { Check, Overview } from "@/lib/schemas/health";

export type Claim = { text: string; state: "good" | "warn" | "bad" | "off"; href: string };

const BADNESS = { bad: 0, warn: 1, ok: 2 };

/** Whether the store is healthy, by the doctor's local checks; `checks` is undefined until they are done. */
export function healthClaim(data: Overview, checks: Check[] | undefined): Claim {
  if (!checks) return { text: "checking its health", state: "off", href: "/doctor/" };
  const wrong = checks.filter((check) => check.state !== "ok").toSorted((a, b) => BADNESS[a.state] - BADNESS[b.state]);
  const worst = wrong[0];
  if (!worst) return { text: "healthy", state: "good", href: "/doctor/" };
  const more = wrong.length > 1 ? ` and ${plural(wrong.length - 1, "more problem")}` : "";
  return {
    text: `${inShort(worst, data)}${more}`,
    state: worst.state === "bad" ? "bad" : "warn",
    href: wrong.length > 1 ? "/doctor/" : `/doctor/#${encodeURIComponent(worst.name)}`,
  };
}

export function syncClaim(data: Overview): Claim {
  const { state, short } = syncSummary(data.sync);
  const text = state === "good" ? "in sync" : short.charAt(0).toLowerCase() + short.slice(1);
  return { text, state, href: data.sync.held > 0 ? "/conflicts/" : "/machines/" };
}

export function growthClaim(data: Overview): Claim {
  const fresh = data.new_this_week;
  if (fresh === 0) return { text: "nothing new this week", state: "off", href: "/browse/" };
  return { text: `${count(fresh)} new this week`, state: "good", href: "/browse/" };
}

function inShort(check: Check, data: Overview): string {
  const broken = check.state === "bad";
  const words: Record<string, string> = {
    hooks: broken ? "hooks broken" : "no hooks installed",
    mcp: broken ? "MCP server broken" : "MCP server not registered",
    activity: `${plural(data.uncaptured, "session")} not captured`,
    log: "hooks failed this week",
    files: `${plural(data.problems.length, "file")} unreadable`,
    waiting: "changes held back",
    secrets: "a credential in a note",
  };
  return words[check.name] ?? `${check.name} needs attention`;
}
