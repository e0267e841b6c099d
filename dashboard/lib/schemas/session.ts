// Sessions, what the next one would be told, and the project they belong to.
import * as z from "zod/mini";
import { noteSummary, noteType } from "./note";

const sessionFields = {
  id: z.string(),
  at: z.string(),
  project: z.string(),
  machine_id: z.string(),
  /** `trivial`: nothing in it was worth saving. `open`: no note yet. */
  state: z.enum(["captured", "trivial", "open"]),
  note: z.nullable(z.object({ id: z.string(), title: z.string() })),
  scripted: z.boolean(),
  /** How many notes it was given, and in how many characters; null if this machine has no receipt of it. */
  told: z.nullable(z.number()),
  characters: z.nullable(z.number()),
  searched: z.number(),
  wrote: z.number(),
};

const sessionRow = z.object(sessionFields);

export const sessionPage = z.object({
  total: z.number(),
  next: z.nullable(z.number()),
  sessions: z.array(sessionRow),
});

/** A note that a session saw; type and title are missing if it was deleted since. */
const named = z.object({ id: z.string(), type: z.nullable(noteType), title: z.string() });

export const entry = z.object({
  kind: z.string(),
  at: z.nullable(z.string()),
  source: z.nullable(z.string()),
  project: z.nullable(z.string()),
  characters: z.nullable(z.number()),
  milliseconds: z.nullable(z.number()),
  query: z.nullable(z.string()),
  full: z.array(named),
  cut: z.array(named),
  titles: z.array(named),
  ids: z.array(named),
  no_room: z.number(),
  little_worth: z.number(),
});

export const sessionDetail = z.object({
  ...sessionFields,
  folder: z.string(),
  entries: z.array(entry),
  left: z.array(noteSummary),
});

export const how = z.enum(["full", "cut", "title", "room", "worth"]);

const rankedNote = z.object({
  id: z.string(),
  type: noteType,
  title: z.string(),
  project: z.string(),
  updated_at: z.string(),
  how,
  worth: z.number(),
  parts: z.record(z.string(), z.number()),
});

export const preview = z.object({
  project: z.string(),
  folder: z.string(),
  branch: z.string(),
  text: z.string(),
  characters: z.number(),
  budget: z.number(),
  own: z.number(),
  everywhere: z.number(),
  notes: z.array(rankedNote),
});

export const project = z.object({
  key: z.string(),
  aliases: z.array(z.string()),
  by_type: z.record(z.string(), z.number()),
  by_machine: z.record(z.string(), z.number()),
  superseded: z.number(),
  size: z.number(),
  first: z.string(),
  last: z.string(),
  total: z.number(),
  fundamentals: z.array(z.object({ id: z.string(), type: noteType, title: z.string(), pinned: z.boolean() })),
  sessions: z.array(sessionRow),
  session_count: z.number(),
  reviews: z.array(noteSummary),
  review_count: z.number(),
  /** What sessions on this machine were given of it. */
  use: z.object({ sessions: z.number(), characters: z.number(), searches: z.number(), written: z.number() }),
});

export type SessionRow = z.infer<typeof sessionRow>;
export type SessionDetail = z.infer<typeof sessionDetail>;
export type Entry = z.infer<typeof entry>;
export type NamedNote = z.infer<typeof named>;
export type Preview = z.infer<typeof preview>;
export type RankedNote = z.infer<typeof rankedNote>;
export type How = z.infer<typeof how>;
export type Project = z.infer<typeof project>;
