// @vitest-environment jsdom
import { cleanup, render } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { Phrase } from "./phrase";

afterEach(cleanup);

test.each([
  [
    "run `anamnesis init`, then `anamnesis doctor`",
    ["anamnesis init", "anamnesis doctor"],
    "run anamnesis init, then anamnesis doctor",
  ],
  ["nothing to mark", [], "nothing to mark"],
  ["a lone ` stays", [], "a lone ` stays"],
  ["`<b>` is text", ["<b>"], "<b> is text"],
])("%s", (text, marked, whole) => {
  const { container } = render(<Phrase text={text} />);
  expect([...container.querySelectorAll("code")].map((code) => code.textContent)).toEqual(marked);
  expect(container.textContent).toBe(whole);
});
