import type { NoteDraft } from "@/lib/api";
import { readTags } from "@/lib/format";
import type { Typed } from "@/lib/typed";

/** A note as typed: every field is a string. */
export type NoteFields = Record<"type" | "title" | "body" | "project" | "scope" | "tags", string>;
export type TypedNote = Typed<NoteFields>;

export function toFields(note: NoteDraft): NoteFields {
  const { type, title, body, project, scope, tags } = note;
  return { type, title, body, project, scope, tags: tags.join(", ") };
}

export function toDraft(fields: NoteFields): NoteDraft {
  return { ...fields, tags: readTags(fields.tags) };
}
