// Both sides of the API share one set of responses: pytest checks that the server sends them, this test that we can read them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import * as fleet from "./schemas/fleet";
import * as health from "./schemas/health";
import * as history from "./schemas/history";
import * as note from "./schemas/note";
import * as sessions from "./schemas/session";

const FOLDER = join(import.meta.dirname, "../../contracts");

const SCHEMAS: Record<string, z.ZodMiniType> = {
  changed: note.changed,
  commit: history.commitDetail,
  conflicts: fleet.conflicts,
  doctor: health.doctor,
  "doctor-check": health.oneCheck,
  "doctor-fixed": health.doctor,
  done: note.done,
  kept: note.kept,
  settled: fleet.settled,
  error: z.object({ error: z.string(), code: z.string() }),
  facets: note.facets,
  health: health.localChecks,
  history: history.storeHistory,
  machines: fleet.machines,
  note: note.note,
  "note-diff": history.noteDiff,
  "note-history": history.noteHistory,
  "note-links": note.noteLinks,
  "note-stale": note.staleNote,
  notes: note.notePage,
  "notes-found": note.notePage,
  overview: health.overview,
  removed: history.removed,
  preview: sessions.preview,
  project: sessions.project,
  reflection: health.reflection,
  reindexed: health.reindexed,
  review: health.review,
  selection: note.selection,
  session: health.session,
  "session-told": sessions.sessionDetail,
  sessions: sessions.sessionPage,
  settings: health.settings,
  status: health.status,
  "sync-result": fleet.syncResult,
  "sync-step": fleet.syncStep,
};

/** Not responses: the shapes below, and the API's description that `make docs` makes of them. */
const DESCRIPTIONS = ["shapes.json", "openapi.json"];
const files = readdirSync(FOLDER).filter((name) => name.endsWith(".json") && !DESCRIPTIONS.includes(name));

test("every contract has a reader, and every reader a contract", () => {
  expect(files.map((name) => name.slice(0, -5)).sort()).toEqual(Object.keys(SCHEMAS).sort());
});

test.each(files)("%s can be read as the server writes it", (name) => {
  const answer = JSON.parse(readFileSync(join(FOLDER, name), "utf8")) as unknown;
  expect(() => SCHEMAS[name.slice(0, -5)]?.parse(answer)).not.toThrow();
});

test("an answer of another shape is refused", () => {
  expect(() => note.notePage.parse({ total: "many", next: null, notes: [], unknown: [] })).toThrow();
});

test("the published shapes are those that the pages read", async () => {
  const rows = Object.entries(SCHEMAS).map(([name, schema]) => {
    const shape = z.toJSONSchema(schema, { io: "input" });
    delete shape.$schema;
    return `${JSON.stringify(name)}: ${JSON.stringify(shape)}`;
  });
  const text = `{\n${rows.sort().join(",\n")}\n}\n`;
  await expect(text).toMatchFileSnapshot(join(FOLDER, "shapes.json"));
});
