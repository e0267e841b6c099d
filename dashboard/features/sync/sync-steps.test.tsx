// @vitest-environment jsdom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { SyncSteps } from "./sync-steps";

afterEach(cleanup);

test("the current step is marked, and completed ones are ticked", () => {
  render(
    <SyncSteps
      told={[
        { step: "commit", done: 0, total: 0 },
        { step: "fetch", done: 3, total: 12 },
      ]}
    />,
  );
  const steps = screen.getAllByRole("listitem");
  expect(steps.map((step) => step.textContent)).toEqual(["commit", "fetch3 of 12", "integrate", "push", "index"]);
  expect(steps.map((step) => step.getAttribute("aria-current"))).toEqual([null, "step", null, null, null]);
  expect(screen.getAllByLabelText("done")).toHaveLength(1);
  expect(screen.getByRole("progressbar", { name: "fetch" })).toHaveProperty("value", 3);
  expect(screen.getByRole("status").textContent).toBe("Syncing: fetch");
});

test("a step whose length is not known has no bar", () => {
  render(<SyncSteps told={[{ step: "commit", done: 0, total: 0 }]} />);
  expect(screen.queryByRole("progressbar")).toBeNull();
});

test("before the first event no step is marked", () => {
  render(<SyncSteps told={[]} />);
  expect(screen.queryByLabelText("done")).toBeNull();
  expect(screen.getByRole("status").textContent).toBe("Syncing");
});
