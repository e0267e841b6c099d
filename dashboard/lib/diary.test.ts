import { expect, test } from "vitest";
import { writeDiary } from "./diary";
import type { StoreCommit } from "./schemas/history";

const change = (id: string, title: string, action: "added" | "edited" = "edited") => ({
  id,
  title,
  action,
  path: `semantic/${id}.md`,
  type: "semantic" as const,
});
const commit = (at: string, machine: string, changes: StoreCommit["changes"], files = changes.length): StoreCommit => ({
  commit: at,
  at,
  machine_id: machine,
  message: "",
  files,
  changes,
});

test("a diary has a day, its machines, and each note once with how often it changed", () => {
  const days = writeDiary([
    commit("2026-01-06T12:00:00Z", "lap", [change("A", "Newer title")]),
    commit("2026-01-06T11:00:00Z", "desk", []),
    commit("2026-01-06T10:00:00Z", "lap", [change("A", "Old title", "added"), change("B", "Other")], 5),
    commit("2026-01-04T12:00:00Z", "desk", [change("A", "Old title", "added")]),
  ]);
  expect(days).toHaveLength(2);
  const [lap, ...others] = days[0]?.machines ?? [];
  expect(others).toEqual([]);
  expect(lap?.notes.map((note) => [note.change.title, note.times])).toEqual([["Newer title", 2], ["Other", 1]]);
  expect(lap).toMatchObject({ machine: "lap", more: 3, from: "2026-01-06T10:00:00Z", to: "2026-01-06T12:00:00Z" });
});
