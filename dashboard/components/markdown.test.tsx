// @vitest-environment jsdom
import { cleanup, render } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { Markdown } from "./markdown";

afterEach(cleanup);

const html = (text: string) => render(<Markdown text={text} />).container;

test("raw HTML stays text", () => {
  const page = html('<script>alert(1)</script>\n\n<img src=x onerror="alert(1)"> <b>bold</b>');
  expect(page.querySelector("script, img, b")).toBeNull();
});

test.each(["javascript:alert(1)", "JaVaScRiPt:alert(1)", "vbscript:x", "data:text/html,x", "file:///etc/passwd"])(
  "a link to %s leads nowhere",
  (address) => {
    expect(html(`[x](${address})`).querySelector("a")?.getAttribute("href")).toBe("");
  },
);

test("a link out gives nothing away", () => {
  const link = html("[x](https://example.org)").querySelector("a");
  expect(link?.rel).toContain("noreferrer");
  expect(link?.target).toBe("_blank");
});

test("a picture is a link, so that nothing is fetched", () => {
  const page = html("![alt text](https://example.org/p.png)");
  expect(page.querySelector("img")).toBeNull();
  expect(page.querySelector("a")?.textContent).toBe("alt text");
});

test("tables, lists and code are drawn", () => {
  const page = html("| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done\n\n```py\nprint(1)\n```");
  expect(page.querySelectorAll("td")).toHaveLength(2);
  expect(page.querySelector("pre code")?.textContent).toBe("print(1)\n");
  expect(page.querySelector("input[type=checkbox]")).not.toBeNull();
});
