// Every question and every change the pages send to the server. The server announces changes, so no page polls.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { tidyFilter, type Filter } from "./filter";
import { get, send } from "./http";
import type { Answers } from "./types";

export type NoteDraft = { type: string; title: string; body: string; project: string; scope: string; tags: string[] };
export type NotePage = Answers["notes"] & { filter: Filter };

const at = (id: string) => `/api/notes/${encodeURIComponent(id)}`;

/** A search costs the server something for every note it explains, so its first page just fills a screen. */
const PAGE = { list: 100, firstFound: 12, found: 30 };

export const ask = {
  status: () => queryOptions({ queryKey: ["status"], queryFn: () => get<Answers["status"]>("/api/status") }),
  overview: () => queryOptions({ queryKey: ["overview"], queryFn: () => get<Answers["overview"]>("/api/overview") }),
  facets: () => queryOptions({ queryKey: ["facets"], queryFn: () => get<Answers["facets"]>("/api/facets") }),
  /** The notes that match a filter, page by page; a page includes its filter, so that an old answer never passes for a new one. */
  notes: (filter: Filter) =>
    infiniteQueryOptions({
      queryKey: ["notes", filter],
      queryFn: async ({ pageParam, signal }): Promise<NotePage> => {
        const limit = !filter.q ? PAGE.list : pageParam === 0 ? PAGE.firstFound : PAGE.found;
        return {
          ...(await get<Answers["notes"]>("/api/notes", { ...filter, limit, offset: pageParam }, signal)),
          filter,
        };
      },
      initialPageParam: 0,
      getNextPageParam: (page) => page.next,
    }),
  /** The best notes for the text in the palette. */
  found: (q: string, limit: number) =>
    queryOptions({
      queryKey: ["notes", "palette", q],
      queryFn: ({ signal }) => get<Answers["notes"]>("/api/notes", { q, limit, offset: 0 }, signal),
      enabled: q !== "",
      placeholderData: keepPreviousData,
    }),
  /** The ids of all that match. */
  selection: (filter: Filter) =>
    queryOptions({
      queryKey: ["notes", "selection", filter],
      queryFn: ({ signal }) => get<Answers["selection"]>("/api/selection", tidyFilter(filter), signal),
    }),
  note: (id: string) =>
    queryOptions({ queryKey: ["note", id], queryFn: () => get<Answers["note"]>(at(id)), enabled: id !== "" }),
  links: (id: string) =>
    queryOptions({ queryKey: ["note", id, "links"], queryFn: () => get<Answers["note-links"]>(`${at(id)}/links`) }),
  history: (id: string) =>
    queryOptions({
      queryKey: ["note", id, "history"],
      queryFn: () => get<Answers["note-history"]>(`${at(id)}/history`),
    }),
  diff: (id: string, from: string, to: string) =>
    queryOptions({
      queryKey: ["note", id, "diff", from, to],
      queryFn: () => get<Answers["note-diff"]>(`${at(id)}/diff`, { from, to }),
      placeholderData: keepPreviousData,
    }),
  inbox: () => queryOptions({ queryKey: ["inbox"], queryFn: () => get<Answers["inbox"]>("/api/inbox") }),
  duplicates: () =>
    queryOptions({ queryKey: ["duplicates"], queryFn: () => get<Answers["duplicates"]>("/api/duplicates") }),
  activity: (filter: Filter) =>
    infiniteQueryOptions({
      queryKey: ["activity", filter],
      queryFn: ({ pageParam, signal }) =>
        get<Answers["activity"]>("/api/activity", { ...filter, offset: pageParam }, signal),
      initialPageParam: 0,
      getNextPageParam: (page) => page.next,
      placeholderData: keepPreviousData,
    }),
  session: (id: string) =>
    queryOptions({
      queryKey: ["session", id],
      queryFn: () => get<Answers["session"]>(`/api/sessions/${encodeURIComponent(id)}`),
    }),
  projects: () => queryOptions({ queryKey: ["projects"], queryFn: () => get<Answers["projects"]>("/api/projects") }),
  project: (key: string) =>
    queryOptions({ queryKey: ["project", key], queryFn: () => get<Answers["project"]>("/api/project", { key }) }),
  machines: () => queryOptions({ queryKey: ["machines"], queryFn: () => get<Answers["machines"]>("/api/machines") }),
  /** The checks that are quick and local. */
  health: () => queryOptions({ queryKey: ["health"], queryFn: () => get<Answers["health"]>("/api/health") }),
  /** Every quick check; like the slow ones, not asked again with every change of a note. */
  checks: () =>
    queryOptions({ queryKey: ["doctor"], queryFn: () => get<Answers["health"]>("/api/health", { all: "1" }) }),
  check: (name: string) =>
    queryOptions({
      queryKey: ["doctor", name],
      queryFn: () => get<Answers["health"]>(`/api/health/${encodeURIComponent(name)}`),
    }),
  settings: () => queryOptions({ queryKey: ["settings"], queryFn: () => get<Answers["settings"]>("/api/settings") }),
};

export const api = {
  changeNotes: (ids: string[], act: string, value: string | null) =>
    send<Answers["changed"]>("POST", "/api/selection", { ids, act, value }),
  renameTags: (names: string[], to: string) => send<Answers["changed"]>("POST", "/api/tags", { names, to }),
  create: (draft: NoteDraft) => send<Answers["note"]>("POST", "/api/notes", draft),
  edit: (id: string, base: string, draft: NoteDraft) => send<Answers["note"]>("PUT", at(id), { ...draft, base }),
  remove: (id: string, base: string | null) => send<Answers["done"]>("DELETE", at(id), { base }),
  supersede: (id: string, draft: NoteDraft) => send<Answers["note"]>("POST", `${at(id)}/supersede`, draft),
  keep: (id: string) => send<Answers["kept"]>("POST", `${at(id)}/keep`),
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
  fix: () => send<Answers["health"]>("POST", "/api/health/fix"),
  sync: () => send<Answers["sync-result"]>("POST", "/api/sync"),
  reindex: () => send<Answers["reindexed"]>("POST", "/api/reindex"),
  set: (key: string, value: string | null) =>
    send<Answers["settings"]>("PUT", `/api/settings/${encodeURIComponent(key)}`, { value }),
};
