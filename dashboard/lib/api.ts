// Every question and every change the pages send to the server. The server announces changes, so no page polls.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { tidyFilter, withFilter, type Filter } from "./filter";
import { get, send } from "./http";
import type { Answers } from "./types";

export type NoteDraft = { type: string; title: string; body: string; project: string; scope: string; tags: string[] };
export type NotePage = Answers["notes"] & { filter: Filter };

const at = (id: string) => `/api/notes/${encodeURIComponent(id)}`;

/** A search costs the server something for every note it explains, so its first page just fills a screen. */
const PAGE = { list: 100, firstFound: 12, found: 30 };

/** The question whose answer is `_kind`; its key names what is asked about. */
function one<K extends keyof Answers>(_kind: K, queryKey: string[], path: string, asked?: Record<string, string>) {
  return queryOptions({ queryKey, queryFn: ({ signal }) => get<Answers[K]>(path, asked, signal) });
}

export const ask = {
  status: () => one("status", ["status"], "/api/status"),
  overview: () => one("overview", ["overview"], "/api/overview"),
  facets: () => one("facets", ["facets"], "/api/facets"),
  /** The notes that match a filter, page by page; a page includes its filter, so that an old answer never passes for a new one. */
  notes: (filter: Filter) =>
    infiniteQueryOptions({
      queryKey: ["notes", filter],
      queryFn: async ({ pageParam, signal }): Promise<NotePage> => {
        const limit = !filter.q ? PAGE.list : pageParam === 0 ? PAGE.firstFound : PAGE.found;
        const asked = { ...filter, limit, offset: pageParam };
        return { ...(await get<Answers["notes"]>("/api/notes", asked, signal)), filter };
      },
      initialPageParam: 0,
      getNextPageParam: (page) => page.next,
    }),
  /** The best notes for the text in the palette. */
  found: (q: string, limit: number) => ({
    ...one("notes", ["notes", "palette", q], "/api/notes", { q, limit: String(limit), offset: "0" }),
    enabled: q !== "",
    placeholderData: keepPreviousData,
  }),
  /** The ids of all that match. */
  selection: (filter: Filter) =>
    one("selection", ["notes", "selection", withFilter("", filter)], "/api/selection", tidyFilter(filter)),
  note: (id: string) => ({ ...one("note", ["note", id], at(id)), enabled: id !== "" }),
  links: (id: string) => one("note-links", ["note", id, "links"], `${at(id)}/links`),
  history: (id: string) => one("note-history", ["note", id, "history"], `${at(id)}/history`),
  diff: (id: string, from: string, to: string) => ({
    ...one("note-diff", ["note", id, "diff", from, to], `${at(id)}/diff`, { from, to }),
    placeholderData: keepPreviousData,
  }),
  inbox: () => one("inbox", ["inbox"], "/api/inbox"),
  duplicates: () => one("duplicates", ["duplicates"], "/api/duplicates"),
  activity: (filter: Filter) =>
    infiniteQueryOptions({
      queryKey: ["activity", filter],
      queryFn: ({ pageParam, signal }) =>
        get<Answers["activity"]>("/api/activity", { ...filter, offset: pageParam }, signal),
      initialPageParam: 0,
      getNextPageParam: (page) => page.next,
      placeholderData: keepPreviousData,
    }),
  session: (id: string) => one("session", ["session", id], `/api/sessions/${encodeURIComponent(id)}`),
  projects: () => one("projects", ["projects"], "/api/projects"),
  project: (key: string) => one("project", ["project", key], "/api/project", { key }),
  machines: () => one("machines", ["machines"], "/api/machines"),
  /** The checks that are quick and local. */
  health: () => one("health", ["health"], "/api/health"),
  /** Every quick check; like the slow ones, not asked again with every change of a note. */
  checks: () => one("health", ["doctor"], "/api/health", { all: "1" }),
  check: (name: string) => one("health", ["doctor", name], "/api/health", { slow: name }),
  settings: () => one("settings", ["settings"], "/api/settings"),
};

export const api = {
  changeNotes: (ids: string[], act: string, value: string | null) =>
    send<Answers["changed"]>("POST", "/api/selection", { ids, act, value }),
  renameTags: (names: string[], to: string) => send<Answers["changed"]>("POST", "/api/tags", { names, to }),
  create: (draft: NoteDraft) => send<Answers["note"]>("POST", "/api/notes", draft),
  edit: (id: string, base: string, draft: NoteDraft) => send<Answers["note"]>("PUT", at(id), { ...draft, base }),
  remove: (id: string, base: string | null) => send<Answers["done"]>("DELETE", at(id), { base }),
  supersede: (id: string, draft: NoteDraft) =>
    send<Answers["note"]>("POST", "/api/notes", { ...draft, supersedes: id }),
  /** Change one note like many, except that a failure is an error. */
  changeNote: async (id: string, act: string, value: string | null) => {
    const answer = await api.changeNotes([id], act, value);
    if (answer.failed[0]) throw new Error(answer.failed[0].error);
    return answer;
  },
  /** Write `[removed]` in place of every credential. */
  clean: (id: string) => send<Answers["note"]>("POST", `${at(id)}/clean`),
  /** Delete the texts with a credential that are kept on this machine. */
  forgetTexts: (id: string) => send<Answers["note-history"]>("DELETE", `${at(id)}/history`),
  /** Without a version: the last text of a deleted note. */
  restore: (id: string, version: { commit?: string; text?: string | null }, base: string | null) =>
    send<Answers["note"]>("POST", `${at(id)}/restore`, { ...version, base }),
  resolve: (id: string, choice: string, text: string | null) =>
    send<Answers["settled"]>("POST", `/api/conflicts/${encodeURIComponent(id)}`, { choice, text }),
  unresolve: (id: string) => send<Answers["done"]>("DELETE", `/api/conflicts/${encodeURIComponent(id)}`),
  allow: (id: string) => send<Answers["done"]>("POST", "/api/credentials", { id }),
  settleRule: (note_id: string, line: string, keep: boolean) =>
    send<Answers["rule-settled"]>("POST", "/api/rules", { note_id, line, keep }),
  merge: (ids: string[]) => send<Answers["note"]>("POST", "/api/duplicates", { ids }),
  reflect: (apply: boolean) => send<Answers["reflection"]>("POST", "/api/reflect", { apply }),
  setCaptured: (key: string, captured: boolean) => send<Answers["done"]>("PUT", "/api/project", { key, captured }),
  forgetMachine: (name: string) => send<Answers["done"]>("POST", "/api/machines/forget", { name }),
  fix: (name: string) => send<Answers["fixed"]>("POST", "/api/health/fix", { name }),
  sync: () => send<Answers["sync-result"]>("POST", "/api/sync"),
  reindex: () => send<Answers["reindexed"]>("POST", "/api/reindex"),
  set: (key: string, value: string | null) =>
    send<Answers["settings"]>("PUT", `/api/settings/${encodeURIComponent(key)}`, { value }),
};
