// The versions of one note, and the git log of the whole store.
import * as z from "zod/mini";
import { noteType, scope } from "./note";

/** `replaced`: a text that a change on this machine replaced or deleted, and that is not in git. */
export const action = z.enum(["added", "edited", "moved", "deleted", "replaced"]);

const commitFields = { commit: z.string(), at: z.string(), machine_id: z.string(), message: z.string() };

/** `credential`: the text is kept on this machine only and contains what looks like a credential. */
export const version = z.object({ ...commitFields, action, credential: z.boolean() });

export const noteHistory = z.object({
  id: z.string(),
  /** Git does not have what the file says: a machine-local note, or a change that the next sync will commit. */
  uncommitted: z.boolean(),
  versions: z.array(version),
});

const versionText = z.object({ version: z.string(), text: z.string() });

export const noteDiff = z.object({ id: z.string(), from: versionText, to: versionText });

/** A file that a commit changed; id and title are empty when it is not a note. */
const changedNote = z.object({
  path: z.string(),
  action,
  id: z.string(),
  title: z.string(),
  type: z.nullable(noteType),
});

/** A commit with the first notes that it changed. */
const storeCommit = z.object({ ...commitFields, files: z.number(), changes: z.array(changedNote) });

export const storeHistory = z.object({ commits: z.array(storeCommit), next: z.nullable(z.string()) });

export const commitDetail = z.object({
  ...commitFields,
  files: z.number(),
  changes: z.array(changedNote),
  left_out: z.number(),
});

/** Deleted notes with their last text. */
export const removed = z.object({
  notes: z.array(
    z.object({
      id: z.string(),
      type: noteType,
      title: z.string(),
      project: z.string(),
      scope,
      body: z.string(),
      at: z.string(),
      removed_on: z.string(),
    }),
  ),
  left_out: z.number(),
});

export type RemovedNote = z.infer<typeof removed>["notes"][number];
export type Version = z.infer<typeof version>;
export type NoteHistory = z.infer<typeof noteHistory>;
export type StoreCommit = z.infer<typeof storeCommit>;
export type CommitDetail = z.infer<typeof commitDetail>;
export type ChangedNote = z.infer<typeof changedNote>;
