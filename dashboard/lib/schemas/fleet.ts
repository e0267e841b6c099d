// Machines, sync and the notes on which two machines disagree.
import * as z from "zod/mini";

export const syncState = z.object({
  initialized: z.boolean(),
  remote: z.nullable(z.string()),
  head: z.nullable(z.string()),
  dirty: z.boolean(),
  detail: z.string(),
  ahead: z.number(),
  behind: z.number(),
  unpushed_since: z.nullable(z.string()),
  late_push: z.boolean(),
  late_commit: z.boolean(),
  failure: z.string(),
  last_sync: z.nullable(z.string()),
  held: z.number(),
});

/** One machine as of its last heartbeat. A time is empty if it never happened. */
export const machine = z.object({
  machine_id: z.string(),
  here: z.boolean(),
  /** Whether it had the same notes as this machine at its last report. */
  agrees: z.boolean(),
  heard: z.string(),
  /** How many commits with notes it was behind then, and the time of the first of them. */
  behind: z.number(),
  behind_since: z.string(),
  version: z.string(),
  last_sync: z.string(),
  last_capture: z.string(),
  last_inject: z.string(),
  /** How many held notes it had then; for this machine, now. */
  held: z.number(),
  /** What needs attention there, in sentences. */
  remarks: z.array(z.string()),
  /** The note it wrote or changed last, by the author of the commit. */
  last_note: z.nullable(
    z.object({ id: z.string(), title: z.string(), path: z.string(), action: z.string(), at: z.string() }),
  ),
});

export const machines = z.object({ machines: z.array(machine), sync: syncState });

const heldNote = z.object({
  id: z.string(),
  path: z.string(),
  title: z.string(),
  /** The three texts; null if that side has no file. */
  base: z.nullable(z.string()),
  mine: z.nullable(z.string()),
  theirs: z.nullable(z.string()),
  since: z.string(),
  is_text: z.boolean(),
  /** Who made their version, and when; empty if unknown. */
  machine: z.string(),
  moment: z.string(),
  /** When this machine's file was last written; empty if it is gone. */
  written: z.string(),
  /** Machine-local here and shared elsewhere: mine or theirs, not both. */
  private: z.boolean(),
});

export const conflicts = z.object({ held: z.array(heldNote) });

/** `undo`: the conflict can be brought back. */
export const settled = z.object({ done: z.boolean(), undo: z.boolean() });

/** The steps of a sync, in order. */
export const syncStepName = z.enum(["commit", "fetch", "integrate", "push", "index"]);

/** A progress event; a total of 0 means unknown. */
export const syncStep = z.object({ step: syncStepName, done: z.number(), total: z.number() });

export const syncResult = z.object({
  pushed: z.boolean(),
  pulled: z.number(),
  conflicted: z.boolean(),
  head: z.nullable(z.string()),
  indexed: z.number(),
  detail: z.string(),
});

export type SyncState = z.infer<typeof syncState>;
export type Machine = z.infer<typeof machine>;
export type HeldNote = z.infer<typeof heldNote>;
export type SyncResult = z.infer<typeof syncResult>;
export type SyncStep = z.infer<typeof syncStep>;
