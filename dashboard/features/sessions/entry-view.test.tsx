// @vitest-environment jsdom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { EntryView } from "./entry-view";
import type { Entry } from "@/lib/schemas/session";

afterEach(cleanup);

const entry: Entry = {
  kind: "synced",
  at: null,
  source: null,
  project: null,
  characters: null,
  milliseconds: null,
  query: null,
  full: [],
  cut: [],
  titles: [],
  ids: [],
  no_room: 0,
  little_worth: 0,
};

test("the sync at a session's start is not shown as using notes", () => {
  render(<EntryView entry={entry} />);
  expect(screen.getByRole("heading").textContent).toBe("Synced in the background");
});
