// The git log of one note and of the whole store.
import * as z from "zod/mini";
import { noteType } from "./note";

export const change = z.enum(["added", "edited", "deleted", "moved"]);

const commitFields = { commit: z.string(), machine: z.string(), at: z.string(), subject: z.string() };

export const version = z.object({ ...commitFields, change });

export const noteHistory = z.object({
  id: z.string(),
  /** The file differs from the newest version: a change that the next sync will commit. */
  uncommitted: z.boolean(),
  versions: z.array(version),
});

export const versionText = z.object({ version: z.string(), text: z.string() });

export const noteDiff = z.object({ id: z.string(), from: versionText, to: versionText });

export const storeCommit = z.object({
  ...commitFields,
  added: z.number(),
  edited: z.number(),
  deleted: z.number(),
});

export const storeHistory = z.object({ commits: z.array(storeCommit), next: z.nullable(z.string()) });

export const changedNote = z.object({
  id: z.string(),
  title: z.string(),
  type: z.nullable(noteType),
  change,
  before: z.string(),
  after: z.string(),
});

export const commitDetail = z.object({ ...commitFields, changes: z.array(changedNote), left_out: z.number() });

export type Change = z.infer<typeof change>;
export type Version = z.infer<typeof version>;
export type NoteHistory = z.infer<typeof noteHistory>;
export type StoreCommit = z.infer<typeof storeCommit>;
export type CommitDetail = z.infer<typeof commitDetail>;
export type ChangedNote = z.infer<typeof changedNote>;
