// The answers of the server, as generated from its description in contracts/openapi.json.
import type { components } from "./schema";

type Answers = components["schemas"];

export const TYPES = ["procedural", "semantic", "episodic"] as const;
export const SCOPES = ["portable", "machine-local"] as const;

/** The kind of a waiting file that is shared, although its front matter says that it stays on this machine. */
export const PRIVATE = "scope machine-local";
export const IS_PRIVATE =
  "Not synced: it is shared, but says that it stays on this machine. Edit it and save what you want.";

export type NoteType = (typeof TYPES)[number];
export type Note = Answers["note"];
export type NoteSummary = Note["replaces"][number];
export type ListedNote = Answers["notes"]["notes"][number];
export type NoteLinks = Answers["note-links"];
export type Facets = Answers["facets"];
export type Changed = Answers["changed"];
export type NoteHistory = Answers["note-history"];
export type Inbox = Answers["inbox"];
export type HeldNote = Inbox["held"][number];
export type Group = Answers["duplicates"]["groups"][number];
export type Reflection = Answers["reflection"];
export type Event = Answers["activity"]["events"][number];
export type SessionRow = NonNullable<Event["session"]>;
export type SessionDetail = Answers["session"];
export type Entry = SessionDetail["entries"][number];
export type Project = Answers["project"];
export type Briefing = Project["briefing"];
export type RankedNote = Briefing["notes"][number];
export type Overview = Answers["overview"];
export type SyncState = Answers["machines"]["sync"];
export type Machine = Answers["machines"]["machines"][number];
export type Check = Answers["health"]["checks"][number];
export type Setting = Answers["settings"]["settings"][number];
export type SyncResult = Answers["sync-result"];
export type { Answers };
