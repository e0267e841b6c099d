import { expect, test } from "vitest";
import { changedFields, comparePassages, splitNote } from "./diff";

const said = (rows: { text: string; changed: boolean }[][]) =>
  rows.map((row) => row.map((span) => (span.changed ? `[${span.text}]` : span.text)).join(""));

test("the words that differ are marked on both sides, and shared lines are folded", () => {
  const shared = "one\ntwo\nthree\nfour\n";
  const [same, differs] = comparePassages(`${shared}wait ten seconds`, `${shared}wait five seconds`, 1);
  expect(same).toEqual({ kind: "same", before: [], hidden: 3, after: ["four"] });
  if (differs?.kind !== "differs") throw new Error("no difference");
  expect(said(differs.before)).toEqual(["wait [ten] seconds"]);
  expect(said(differs.after)).toEqual(["wait [five] seconds"]);
});

test("lines with little in common are not marked word by word", () => {
  const [differs] = comparePassages("alpha beta gamma\n", "one two three four\n");
  if (differs?.kind !== "differs") throw new Error("no difference");
  expect(said([...differs.before, ...differs.after])).toEqual(["alpha beta gamma", "one two three four"]);
});

test("a passage that only one side has is shown alone", () => {
  expect(comparePassages("", "new line\n")).toMatchObject([
    { kind: "differs", before: [], after: [[{ text: "new line" }]] },
  ]);
});

test("a note's file is split into fields and text, and only telling fields are compared", () => {
  const file = "---\nid: N1\nupdated_at: '2026-01-01'\ntitle: 'A: b'\ntags:\n- a\n- b\n---\n\nText --- here\n";
  const { fields, body } = splitNote(file);
  expect(body).toBe("Text --- here");
  expect(Object.fromEntries(fields)).toMatchObject({ title: "A: b", tags: "a, b" });
  const other = splitNote(file.replace("- b\n", "").replace("2026-01-01", "2026-02-02"));
  expect(changedFields(fields, other.fields)).toEqual([["tags", "a, b", "a"]]);
  expect(splitNote("no front matter").body).toBe("no front matter");
});
