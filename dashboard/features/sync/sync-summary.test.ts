import { expect, test } from "vitest";
import { syncSummary } from "./sync-summary";
import type { SyncState } from "@/lib/schemas/fleet";

const GOOD: SyncState = {
  initialized: true,
  remote: "host:notes.git",
  head: "abc",
  dirty: false,
  detail: "ok",
  ahead: 0,
  behind: 0,
  unpushed_since: null,
  late_push: false,
  late_commit: false,
  failure: "",
  last_sync: null,
  held: 0,
};

test.each([
  [{}, "good", "In sync"],
  [{ held: 1, ahead: 3 }, "bad", "1 note held"],
  [{ remote: null, dirty: true }, "off", "This machine only"],
  [{ ahead: 2, dirty: true }, "warn", "2 commits not pushed"],
  [{ ahead: 1, late_push: true }, "bad", "1 commit not pushed"],
  [{ dirty: true }, "warn", "Changes to sync"],
  [{ dirty: true, late_commit: true }, "bad", "Changes to sync"],
  [{ failure: "login" }, "warn", "Last sync failed"],
  [{ behind: 1 }, "warn", "1 commit to fetch"],
  [{ initialized: false }, "warn", "Never synced"],
])("%o is %s: %s", (change, state, short) => {
  expect(syncSummary({ ...GOOD, ...change })).toEqual({ state, short });
});
