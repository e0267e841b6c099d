import { expect, test } from "vitest";
import { browseLink, noteLink, readFilter } from "./filter";

test("a filter survives the round trip through the URL", () => {
  const filter = { q: "a & b", tag: "c#", project: "github.com/x/y" };
  expect(readFilter(new URL(browseLink(filter), "http://x").searchParams)).toEqual(filter);
});

test("what is empty or unknown is left out", () => {
  expect(browseLink({ q: "", type: undefined })).toBe("/browse/");
  expect(readFilter(new URLSearchParams("q=&evil=1&type=semantic"))).toEqual({ type: "semantic" });
});

test("an id cannot break out of its link", () => {
  expect(noteLink("a&view=edit#x")).toBe("/note/?id=a%26view%3Dedit%23x");
});
