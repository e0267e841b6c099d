import { expect, test } from "vitest";
import { syncSummary } from "./sync-summary";
import type { SyncState } from "@/lib/types";

const GOOD: SyncState = {
  initialized: true,
  remote: "host:notes.git",
  dirty: false,
  ahead: 0,
  behind: 0,
  unpushed_since: null,
  late_push: false,
  late_commit: false,
  failure: "",
  last_sync: null,
};

test.each([
  [{}, "good", "In sync"],
  [{ ahead: 3 }, "warn", "Not sent"],
  [{ remote: null, dirty: true }, "off", "This machine only"],
  [{ ahead: 2, dirty: true }, "warn", "Not sent"],
  [{ ahead: 1, late_push: true }, "bad", "Not sent"],
  [{ dirty: true }, "warn", "Not all is sent"],
  [{ dirty: true, late_commit: true }, "bad", "Not all is sent"],
  [{ failure: "login" }, "warn", "The last sync failed"],
  [{ behind: 1 }, "warn", "Changes to fetch"],
  [{ initialized: false }, "warn", "Never synced"],
])("%o is %s: %s", (change, state, short) => {
  expect(syncSummary({ ...GOOD, ...change })).toEqual({ state, short });
});
