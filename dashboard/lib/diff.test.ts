import { expect, test } from "vitest";
import { diffRows } from "./diff";

const kinds = (before: string, after: string) => diffRows(before, after).map((row) => row.kind);

test("equal texts have no changed row", () => {
  expect(kinds("a\nb\n", "a\nb\n")).toEqual(["folded"]);
});

test("a changed line shows both sides with the changed words marked", () => {
  const rows = diffRows("limit of ten calls a minute\n", "limit of five calls a minute\n");
  expect(rows.map((row) => row.kind)).toEqual(["removed", "added"]);
  const marked = rows.map((row) => (row.kind === "folded" ? [] : row.spans.filter((s) => s.changed).map((s) => s.text)));
  expect(marked).toEqual([["ten"], ["five"]]);
});

test("lines with little in common are not marked word by word", () => {
  const rows = diffRows("alpha beta gamma\n", "one two three four\n");
  expect(rows.every((row) => row.kind !== "folded" && row.spans.every((span) => !span.changed))).toBe(true);
});

test("added and removed lines are distinguished", () => {
  expect(kinds("a\nb\n", "a\nb\nc\n")).toEqual(["same", "same", "added"]);
  expect(kinds("a\nb\nc\n", "a\nb\n")).toEqual(["same", "same", "removed"]);
});

test("a long unchanged stretch is folded to its line count", () => {
  const quiet = Array.from({ length: 20 }, (_, at) => `line ${at}`).join("\n");
  const rows = diffRows(`${quiet}\nold\n`, `${quiet}\nnew\n`);
  expect(rows[0]).toEqual({ kind: "folded", lines: 17 });
});

test("no text is lost between the two sides", () => {
  const before = "one\n\ntwo words\nthree\n";
  const after = "one\n\ntwo other words\n\nthree\nfour";
  const text = (wanted: string) =>
    diffRows(before, after)
      .filter((row) => row.kind === "same" || row.kind === wanted)
      .map((row) => (row.kind === "folded" ? "" : row.spans.map((span) => span.text).join("")))
      .join("\n");
  expect(text("removed")).toBe(before.trimEnd());
  expect(text("added")).toBe(after);
});
