import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { growthClaim, healthClaim, syncClaim } from "./claims";
import { overview, type Check } from "@/lib/schemas/health";

const answer = JSON.parse(readFileSync(join(import.meta.dirname, "../../../contracts/overview.json"), "utf8")) as unknown;
const DATA = overview.parse(answer);
const check = (name: string, state: Check["state"]): Check => ({ name, state, evidence: "", remedy: "", fixable: false });

test("nothing is claimed before the checks are done", () => {
  expect(healthClaim(DATA, undefined)).toMatchObject({ state: "off", text: "checking its health" });
});

test("a store is healthy only when every local check is", () => {
  expect(healthClaim(DATA, [check("hooks", "ok"), check("files", "ok")])).toMatchObject({ text: "healthy", state: "good" });
  expect(healthClaim(DATA, [check("hooks", "warn"), check("files", "ok")])).toEqual({
    text: "no hooks installed",
    state: "warn",
    href: "/doctor/#hooks",
  });
});

test("the worst problem comes first, with a count of the rest", () => {
  expect(healthClaim(DATA, [check("hooks", "warn"), check("files", "bad")])).toEqual({
    text: "1 file unreadable and 1 more problem",
    state: "bad",
    href: "/doctor/",
  });
});

test("the other claims link to their pages", () => {
  expect(syncClaim(DATA)).toMatchObject({ href: "/conflicts/", state: "bad" });
  expect(growthClaim({ ...DATA, new_this_week: 0 }).text).toBe("nothing new this week");
});
