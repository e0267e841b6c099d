// Every request the pages make to the server, by noun.
import { tidyFilter, type NoteFilter } from "./filter";
import { get, send } from "./http";
import * as fleet from "./schemas/fleet";
import * as health from "./schemas/health";
import * as history from "./schemas/history";
import * as notes from "./schemas/note";
import * as sessions from "./schemas/session";

export type NoteDraft = {
  type: string;
  title: string;
  body: string;
  project: string;
  scope: string;
  tags: string[];
};

const noteAt = (id: string) => `/api/notes/${encodeURIComponent(id)}`;

export const api = {
  session: () => get("/api/session", health.session),
  overview: (signal?: AbortSignal) => get("/api/overview", health.overview, signal),
  status: (signal?: AbortSignal) => get("/api/status", health.status, signal),
  notes: (filter: NoteFilter, offset: number, limit: number, signal?: AbortSignal) => {
    const asked = new URLSearchParams(tidyFilter(filter));
    asked.set("limit", String(limit));
    asked.set("offset", String(offset));
    return get(`/api/notes?${asked}`, notes.notePage, signal);
  },
  selection: (filter: NoteFilter) => get(`/api/selection?${new URLSearchParams(tidyFilter(filter))}`, notes.selection),
  changeNotes: (ids: string[], act: string, value: string | null) =>
    send("POST", "/api/selection", { ids, act, value }, notes.changed),
  renameTags: (names: string[], to: string) => send("POST", "/api/tags", { names, to }, notes.changed),
  facets: () => get("/api/facets", notes.facets),
  note: (id: string) => get(noteAt(id), notes.note),
  noteLinks: (id: string) => get(`${noteAt(id)}/links`, notes.noteLinks),
  create: (draft: NoteDraft) => send("POST", "/api/notes", draft, notes.note),
  edit: (id: string, base: string, draft: NoteDraft) =>
    send("PUT", noteAt(id), { ...draft, base }, notes.note),
  remove: (id: string, base: string | null) => send("DELETE", noteAt(id), { base }, notes.done),
  supersede: (id: string, draft: NoteDraft) => send("POST", `${noteAt(id)}/supersede`, draft, notes.note),
  keep: (id: string) => send("POST", `${noteAt(id)}/keep`, {}, notes.kept),
  noteHistory: (id: string) => get(`${noteAt(id)}/history`, history.noteHistory),
  noteDiff: (id: string, from: string, to: string) =>
    get(`${noteAt(id)}/diff?${new URLSearchParams({ from, to })}`, history.noteDiff),
  /** Without a version: the last text of a deleted note. */
  restore: (id: string, version: { commit?: string; text?: string | null }, base: string | null) =>
    send("POST", `${noteAt(id)}/restore`, { ...version, base }, notes.note),
  removed: () => get("/api/removed", history.removed),
  /** Commits before one, or up to a day. */
  storeHistory: (before: string | null, until: string) =>
    get(`/api/history?${new URLSearchParams(before ? { before } : { until })}`, history.storeHistory),
  commit: (commit: string) => get(`/api/history/${encodeURIComponent(commit)}`, history.commitDetail),
  sessions: (project: string, offset: number) =>
    get(`/api/sessions?${new URLSearchParams({ project, offset: String(offset) })}`, sessions.sessionPage),
  sessionTold: (id: string) => get(`/api/sessions/${encodeURIComponent(id)}`, sessions.sessionDetail),
  preview: (project: string) => get(`/api/preview?${new URLSearchParams({ project })}`, sessions.preview),
  project: (key: string) => get(`/api/project?${new URLSearchParams({ key })}`, sessions.project),
  machines: () => get("/api/machines", fleet.machines),
  forgetMachine: (name: string) => send("POST", "/api/machines/forget", { name }, notes.done),
  conflicts: () => get("/api/conflicts", fleet.conflicts),
  resolve: (id: string, choice: string, text: string | null) =>
    send("POST", `/api/conflicts/${encodeURIComponent(id)}`, { choice, text }, fleet.settled),
  unresolve: (id: string) => send("DELETE", `/api/conflicts/${encodeURIComponent(id)}`, {}, fleet.conflicts),
  clean: (id: string) => send("POST", `${noteAt(id)}/clean`, {}, notes.note),
  forgetTexts: (id: string) => send("DELETE", `${noteAt(id)}/history`, {}, history.noteHistory),
  review: (offset: number) => get(`/api/review?offset=${offset}`, health.review),
  health: () => get("/api/health", health.localChecks),
  doctor: () => get("/api/doctor", health.doctor),
  check: (name: string) => get(`/api/doctor/${encodeURIComponent(name)}`, health.oneCheck),
  fix: () => send("POST", "/api/doctor/fix", {}, health.doctor),
  settings: () => get("/api/settings", health.settings),
  set: (key: string, value: string) =>
    send("PUT", `/api/settings/${encodeURIComponent(key)}`, { value }, health.settings),
  unset: (key: string) => send("DELETE", `/api/settings/${encodeURIComponent(key)}`, {}, health.settings),
  reindex: () => send("POST", "/api/reindex", {}, health.reindexed),
  reflect: (apply: boolean) => send("POST", "/api/reflect", { apply }, health.reflection),
};
