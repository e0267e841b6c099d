import { expect, test } from "vitest";
import { described, syncSummary } from "./sync-summary";
import type { SyncResult, SyncState } from "@/lib/types";

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

const SYNCED: SyncResult = {
  pushed: false,
  pulled: 0,
  conflicted: false,
  detail: "run `anamnesis sync` again",
  reached: true,
  held: 0,
  waiting: 0,
  failure: "",
};

test.each([
  [{}, "Synced.", undefined],
  [{ pushed: true, pulled: 2 }, "Synced: changes received, yours sent.", undefined],
  [{ reached: false }, "Nothing sent: there is no remote.", undefined],
  [{ held: 1, waiting: 2 }, "Synced. In the inbox: 1 note held and 2 files waiting.", "/inbox/"],
  [{ pushed: true, waiting: 2 }, "Synced: yours sent. In the inbox: 2 files waiting.", "/inbox/"],
  [{ failure: "login", reached: false }, "Not synced: the remote refuses the login.", "/machines/"],
  [{ failure: "hook" }, "Not synced: the remote has a problem.", "/machines/"],
])("a sync with %o is told in one sentence: %s", (result, text, place) => {
  const [said, , action] = described({ ...SYNCED, ...result });
  expect([said, action?.href]).toEqual([text, place]);
});
