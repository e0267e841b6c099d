// Overview, doctor, settings and the responses of maintenance actions.
import * as z from "zod/mini";
import { syncState } from "./fleet";
import { noteSummary } from "./note";

export const session = z.object({
  machine_id: z.string(),
  version: z.string(),
  root: z.string(),
});

const problem = z.object({ path: z.string(), reason: z.string() });

const week = z.object({
  week: z.string(),
  procedural: z.number(),
  semantic: z.number(),
  episodic: z.number(),
});

export const overview = z.object({
  root: z.string(),
  machine_id: z.string(),
  total: z.number(),
  superseded: z.number(),
  by_type: z.record(z.string(), z.number()),
  by_project: z.record(z.string(), z.number()),
  last_capture: z.nullable(z.string()),
  uncaptured: z.number(),
  growth: z.array(week),
  new_this_week: z.number(),
  review: z.number(),
  problems: z.array(problem),
  recent: z.array(noteSummary),
  sync: syncState,
});

export const status = z.object({
  review: z.number(),
  held: z.number(),
  sync: syncState,
});

export const check = z.object({
  name: z.string(),
  state: z.enum(["ok", "warn", "bad"]),
  evidence: z.string(),
  remedy: z.string(),
  fixable: z.boolean(),
});

/** `slow` names the checks that are requested one by one, because they read every file or contact another host. */
export const doctor = z.object({ checks: z.array(check), fixed: z.array(z.string()), slow: z.array(z.string()) });

export const oneCheck = z.object({ check });

/** The checks that every page may ask for. */
export const localChecks = z.object({ checks: z.array(check) });

export const setting = z.object({
  name: z.string(),
  /** Safe to show: for a secret, only whether there is one. */
  value: z.string(),
  source: z.enum(["environment", "config.json", "default"]),
  variable: z.string(),
  default: z.string(),
  about: z.string(),
  kind: z.string(),
  choices: z.array(z.string()),
  secret: z.boolean(),
  editable: z.boolean(),
});

export const settings = z.object({ path: z.string(), settings: z.array(setting) });

export const reindexed = z.object({ indexed: z.number(), problems: z.array(problem) });

export const review = z.object({
  total: z.number(),
  next: z.nullable(z.number()),
  notes: z.array(noteSummary),
});

export const reflection = z.object({
  applied: z.boolean(),
  detail: z.string(),
  projects: z.array(
    z.object({
      project: z.string(),
      sources: z.number(),
      notes: z.array(z.object({ type: z.string(), title: z.string() })),
      problem: z.string(),
    }),
  ),
});

export type Overview = z.infer<typeof overview>;
export type Check = z.infer<typeof check>;
export type Setting = z.infer<typeof setting>;
export type Reflection = z.infer<typeof reflection>;
