import { expect, test } from "vitest";
import { ago, plural, readTags } from "./format";

const NOW = Date.parse("2026-06-15T12:00:00Z");

test.each([
  ["2026-06-15T11:59:40+00:00", "just now"],
  ["2026-06-15T11:30:00+00:00", "30 minutes ago"],
  ["2026-06-15T09:00:00+00:00", "3 hours ago"],
  ["2026-06-14T10:00:00+00:00", "yesterday"],
  ["2026-05-15T10:00:00+00:00", "last month"],
  ["2026-06-15T15:00:00+00:00", "in 3 hours"],
  ["", "never"],
  ["no time", "no time"],
])("%s is %s", (moment, said) => {
  expect(ago(moment, NOW)).toBe(said);
});

test("counts agree with their nouns", () => {
  expect([plural(0, "note"), plural(1, "note"), plural(1204, "note")]).toEqual(["0 notes", "1 note", "1,204 notes"]);
});

test("tags are trimmed and deduplicated", () => {
  expect(readTags(" a, b ,a,, c")).toEqual(["a", "b", "c"]);
});
