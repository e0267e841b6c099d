// @vitest-environment jsdom
import { cleanup, render } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { Markdown } from "./rendered";

vi.mock("next/navigation", () => ({ useRouter: () => ({ push: vi.fn() }) }));
afterEach(cleanup);

const html = (text: string) => render(<Markdown text={text} />).container;

test("raw HTML stays text", () => {
  const page = html('<script>alert(1)</script>\n\n<img src=x onerror="alert(1)"> <b>bold</b>');
  expect(page.querySelector("script, img, b")).toBeNull();
});

test.each(["javascript:alert(1)", "JaVaScRiPt:alert(1)", "vbscript:x", "data:text/html,x", "file:///etc/passwd"])(
  "a link to %s leads nowhere",
  (address) => {
    expect(html(`[x](${address})`).querySelector("a")).toBeNull();
  },
);

test("an external link sends no referrer", () => {
  const link = html("[x](https://example.org)").querySelector("a");
  expect(link?.rel).toContain("noreferrer");
  expect(link?.target).toBe("_blank");
});

test.each(["docs/guide.md", "./guide.md", "../README.md#setup", "/etc/hosts", "?q=x", "/browse/", "guide"])(
  "a link to the file %s is shown as its path, because there is no page for it",
  (path) => {
    const page = html(`see [the guide](${path})`);
    expect(page.querySelector("a")).toBeNull();
    expect(page.textContent).toBe(`see the guide (${path})`);
  },
);

test("a path that is its own link text is not shown twice", () => {
  expect(html("[docs/guide.md](docs/guide.md)").textContent).toBe("docs/guide.md");
});

test.each([
  "01J9Z8YPM7Q3X2V4WT6B5N0KGD.md",
  "../semantic/01J9Z8YPM7Q3X2V4WT6B5N0KGD.md",
  "/note/?id=01J9Z8YPM7Q3X2V4WT6B5N0KGD",
])("a link to the note %s opens that note", (path) => {
  expect(html(`[x](${path})`).querySelector("a")?.getAttribute("href")).toBe("/note/?id=01J9Z8YPM7Q3X2V4WT6B5N0KGD");
});

test("an image in a file is shown as its path", () => {
  const page = html("![a plan](images/plan.png)");
  expect(page.querySelector("a, img")).toBeNull();
  expect(page.textContent).toBe("a plan (images/plan.png)");
});

test("an image is a link, so that nothing is fetched", () => {
  const page = html("![alt text](https://example.org/p.png)");
  expect(page.querySelector("img")).toBeNull();
  expect(page.querySelector("a")?.textContent).toBe("alt text");
});

test("tables, lists and code are rendered", () => {
  const page = html("| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done\n\n```py\nprint(1)\n```");
  expect(page.querySelectorAll("td")).toHaveLength(2);
  expect(page.querySelector("pre code")?.textContent).toBe("print(1)\n");
  expect(page.querySelector("input[type=checkbox]")).not.toBeNull();
});
