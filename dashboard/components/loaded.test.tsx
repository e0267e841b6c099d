// @vitest-environment jsdom
import type { UseQueryResult } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { Loaded } from "./loaded";

vi.mock("@/lib/go", () => ({ useGo: () => ({ push: vi.fn(), back: vi.fn() }) }));
afterEach(cleanup);

const asked = (state: object) =>
  ({ data: undefined, isError: false, refetch: vi.fn(), ...state }) as unknown as UseQueryResult<string[]>;
const draw = (state: object) =>
  render(
    <Loaded query={asked(state)} isEmpty={(data) => data.length === 0} empty="No notes match.">
      {(data) => <p>{data.join()}</p>}
    </Loaded>,
  );

test("before the first answer it says that it is loading", () => {
  draw({});
  expect(screen.getByRole("status").textContent).toBe("Loading");
});

test("a failure shows its own message and can be retried", () => {
  draw({ isError: true, error: new Error("The store is busy.") });
  expect(screen.getByRole("alert").textContent).toContain("The store is busy.");
  expect(screen.getByRole("button", { name: "Try again" })).toBeTruthy();
});

test("a failure links the note that it is about, instead of saying its id", () => {
  draw({ isError: true, error: new Error("note 01M7TWP4X5R81FWV606TZY07DS changed since it was looked at") });
  expect(screen.getByRole("alert").textContent).toContain("this note changed since");
  expect(screen.getByRole("link", { name: "this note" })).toBeTruthy();
});

test("an empty answer shows the empty message", () => {
  draw({ data: [] });
  expect(screen.getByText("No notes match.")).toBeTruthy();
});

test("earlier data stays when a later request fails", () => {
  draw({ data: ["a", "b"], isError: true, error: new Error("offline") });
  expect(screen.getByText("a,b")).toBeTruthy();
});
