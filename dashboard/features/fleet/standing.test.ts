import { expect, test } from "vitest";
import { agreement, standingOf } from "./standing";
import type { Machine, SyncState } from "@/lib/schemas/fleet";

const known: Machine = {
  machine_id: "lap",
  here: false,
  agrees: true,
  heard: "",
  behind: 0,
  behind_since: "",
  version: "0.1.0",
  last_sync: "",
  last_capture: "",
  last_inject: "",
  held: 0,
  remarks: [],
  last_note: null,
};
const here: Machine = { ...known, machine_id: "desk", here: true };
const sync = {} as SyncState; // only this machine's own line uses it

test("a machine has the same notes, is behind, or differs", () => {
  expect(standingOf({ ...known, agrees: true }, sync)).toMatchObject({ state: "good" });
  const late = { ...known, agrees: false, behind: 2, behind_since: new Date(Date.now() - 86_400_000).toISOString() };
  expect(standingOf(late, sync)).toEqual({ state: "warn", text: "Behind by 2 commits, the first from yesterday" });
  expect(standingOf({ ...known, agrees: false, behind: 0 }, sync).text).toMatch(/notes differ/);
});

test("one sentence says which machines agree", () => {
  expect(agreement([here])).toMatch(/No other machine/);
  expect(agreement([here, { ...known, agrees: true }])).toMatch(/^All machines/);
  expect(agreement([{ ...here, held: 1 }, known])).toMatch(/last reported, except for 1 held note\.$/);
  expect(agreement([here, { ...known, agrees: false }])).toBe("lap does not have the same notes as this machine.");
});
