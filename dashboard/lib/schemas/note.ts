// Notes as the server sends them. Anything else is rejected.
import * as z from "zod/mini";

export const noteType = z.enum(["procedural", "semantic", "episodic"]);
export const scope = z.enum(["portable", "machine-local"]);

const summaryFields = {
  id: z.string(),
  type: noteType,
  title: z.string(),
  project: z.string(),
  machine_id: z.string(),
  scope,
  tags: z.array(z.string()),
  created_at: z.string(),
  updated_at: z.string(),
  prov_source: z.string(),
  prov_model: z.string(),
  confidence: z.number(),
  supersedes: z.array(z.string()),
  superseded: z.boolean(),
};

export const noteSummary = z.object(summaryFields);

/** Why a note was found: its score, the matched words, and a snippet. */
export const match = z.object({
  score: z.number(),
  terms: z.array(z.string()),
  snippet: z.string(),
  /** How near the note is to the search in meaning, up to 1; null if no model compared them. */
  meaning: z.nullable(z.number()),
});

const listedNote = z.object({ ...summaryFields, match: z.nullable(match) });

export const notePage = z.object({
  total: z.number(),
  next: z.nullable(z.number()),
  notes: z.array(listedNote),
  /** Words of the search that no note contains, and those that were searched for instead. */
  unknown: z.array(z.object({ word: z.string(), taken_for: z.array(z.string()) })),
});

export const selection = z.object({ ids: z.array(z.string()) });

/** What a change to many notes did; `undo` has each note's previous version. */
export const changed = z.object({
  done: z.number(),
  failed: z.array(z.object({ id: z.string(), error: z.string() })),
  undo: z.record(z.string(), z.string()),
});

export const done = z.object({ done: z.boolean() });

/** `undo` is the fingerprint of the text before, for `restore`. */
export const kept = z.object({ done: z.boolean(), undo: z.string() });

export const note = z.object({
  ...summaryFields,
  body: z.string(),
  prov_session: z.string(),
  version: z.string(),
  path: z.string(),
  held: z.boolean(),
  /** Credentials that keep it from being synced. */
  waiting: z.array(z.object({ line: z.number(), kind: z.string() })),
  replaces: z.array(noteSummary),
  replaced_by: z.array(noteSummary),
});

/** The notes it refers to (keyed by the referring text), those that refer to it, and similar notes. */
export const noteLinks = z.object({
  mentions: z.array(z.object({ text: z.string(), note: noteSummary, excerpt: z.string() })),
  backlinks: z.array(noteSummary),
  similar: z.array(noteSummary),
});

export const staleNote = z.object({ error: z.string(), code: z.literal("stale"), current: note });

const count = z.object({ name: z.string(), count: z.number() });

export const facets = z.object({
  types: z.array(count),
  projects: z.array(count),
  machines: z.array(count),
  sources: z.array(count),
  scopes: z.array(count),
  tags: z.array(count),
});

export type NoteType = z.infer<typeof noteType>;
export type NoteSummary = z.infer<typeof noteSummary>;
export type ListedNote = z.infer<typeof listedNote>;
export type Note = z.infer<typeof note>;
export type NoteLinks = z.infer<typeof noteLinks>;
export type NotePage = z.infer<typeof notePage>;
export type Changed = z.infer<typeof changed>;
export type Facets = z.infer<typeof facets>;
export type Count = z.infer<typeof count>;
