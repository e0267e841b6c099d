import { expect, test } from "vitest";
import { dayPresets, noteLink, notesLink, readFilter } from "./filter";

test("a filter survives the round trip through the URL", () => {
  const filter = { q: "a & b", tags: "c#", project: "github.com/x/y" };
  expect(readFilter(new URL(notesLink(filter), "http://x").searchParams)).toEqual(filter);
});

test("what is empty or unknown is left out", () => {
  expect(notesLink({ q: "", type: undefined })).toBe("/notes/");
  expect(readFilter(new URLSearchParams("q=&evil=1&type=semantic"))).toEqual({ type: "semantic" });
});

test("an id cannot break out of its link", () => {
  expect(noteLink("a&view=edit#x")).toBe("/note/?id=a%26view%3Dedit%23x");
});

test("the days to choose from are those of the reader's clock", () => {
  const [today, yesterday, week, month] = dayPresets(new Date(2026, 2, 1, 0, 30).getTime()); // a Sunday
  expect(today).toMatchObject({ since: "2026-03-01", until: "" });
  expect(yesterday).toMatchObject({ since: "2026-02-28", until: "2026-02-28" });
  expect(week?.since).toBe("2026-02-23");
  expect(month?.since).toBe("2026-03-01");
});
