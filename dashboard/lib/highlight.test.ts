import { expect, test } from "vitest";
import { markTerms, tellingSnippet } from "./highlight";

const marked = (text: string, terms: string[]) =>
  markTerms(text, terms)
    .filter((p) => p.marked)
    .map((p) => p.text);

test("matched words are marked whole and in any case", () => {
  expect(marked("Restores stream, a restore never stages", ["restore"])).toEqual(["Restores", "restore"]);
});

test("a term is text, never a pattern", () => {
  expect(marked("a.b a+b (x)", ["a+b", "(x)"])).toEqual(["a+b", "(x)"]);
});

test("the pieces add up to the text", () => {
  const text = "日本語のノート and a webhook";
  expect(
    markTerms(text, ["ノート", "web"])
      .map((piece) => piece.text)
      .join(""),
  ).toBe(text);
});

test("without terms nothing is marked", () => {
  expect(marked("anything", ["", ""])).toEqual([]);
});

test("a snippet that repeats the title is left out", () => {
  expect(tellingSnippet("Restore the index", { snippet: "Restore the index" })).toBe("");
  expect(tellingSnippet("Restore", { snippet: "Restore writes straight" })).toBe("Restore writes straight");
  expect(tellingSnippet("Edit config", { snippet: "Edit config.toml of `a`/`b`" })).toBe("Edit config.toml of a/b");
  expect(tellingSnippet("Restore", { snippet: "Restore. - It writes: ```sh make ```" })).toBe("It writes: make");
  expect(tellingSnippet("Restore", null)).toBe("");
  expect(tellingSnippet("Restore", { snippet: "…the end. ## Result **Tests:** 47 * 2 passed" })).toBe(
    "…the end. Result Tests: 47 * 2 passed",
  );
});
