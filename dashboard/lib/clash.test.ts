import { expect, test } from "vitest";
import { changedAt, comparePassages, splitNote, tellingHead } from "./clash";

const said = (rows: { text: string; changed: boolean }[][]) =>
  rows.map((row) => row.map((span) => (span.changed ? `[${span.text}]` : span.text)).join(""));

test("the words that differ are marked on both sides, and shared lines are folded", () => {
  const shared = "one\ntwo\nthree\nfour\n";
  const passages = comparePassages(`${shared}wait ten seconds\nend`, `${shared}wait five seconds\nend`);
  expect(passages.map((passage) => passage.kind)).toEqual(["same", "differs", "same"]);
  expect(passages[0]).toMatchObject({ before: [], hidden: 3, after: ["four"] });
  const clash = passages[1];
  if (clash?.kind !== "differs") throw new Error("no difference");
  expect(said(clash.mine)).toEqual(["wait [ten] seconds"]);
  expect(said(clash.theirs)).toEqual(["wait [five] seconds"]);
});

test("a passage that only one side has is shown alone", () => {
  const [first] = comparePassages("", "new line\n");
  expect(first).toMatchObject({ kind: "differs", mine: [], theirs: [[{ text: "new line" }]] });
});

test("a note's file is split into front matter and text", () => {
  const file = "---\nid: N1\nupdated_at: 2026-01-01T00:00:00+00:00\ntags: [a]\n---\n\nText --- here\n";
  const { head, body } = splitNote(file);
  expect(body).toBe("Text --- here");
  expect(tellingHead(head)).toBe("id: N1\ntags: [a]\n");
  expect(changedAt(file)).toBe("2026-01-01T00:00:00+00:00");
  expect(splitNote("no front matter")).toEqual({ head: "", body: "no front matter" });
});
