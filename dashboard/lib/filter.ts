// The filter of the note list. It is in the URL, so that it can be linked and Back works.
export const FILTER_KEYS = [
  "q",
  "type",
  "project",
  "machine",
  "tag",
  "source",
  "scope",
  "superseded",
  "since",
  "until",
  "sort",
] as const;

export type FilterKey = (typeof FILTER_KEYS)[number];
export type NoteFilter = Partial<Record<FilterKey, string>>;

export function readFilter(asked: URLSearchParams): NoteFilter {
  return tidyFilter(Object.fromEntries(FILTER_KEYS.map((key) => [key, asked.get(key) ?? ""])));
}

/** The filter without empty values: one filter has one form, and so one cached answer. */
export function tidyFilter(filter: NoteFilter): NoteFilter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value));
}

/** Whether two filters are equal, or differ in only one key. */
export function isSameBut(key: FilterKey, one: NoteFilter, other: NoteFilter): boolean {
  return FILTER_KEYS.every((each) => each === key || (one[each] ?? "") === (other[each] ?? ""));
}

export function browseLink(filter: NoteFilter): string {
  const asked = new URLSearchParams(tidyFilter(filter)).toString();
  return asked ? `/browse/?${asked}` : "/browse/";
}

export function noteLink(id: string): string {
  return `/note/?id=${encodeURIComponent(id)}`;
}

export function sessionLink(id: string): string {
  return `/sessions/?id=${encodeURIComponent(id)}`;
}

export function sessionsLink(project: string): string {
  return `/sessions/?project=${encodeURIComponent(project)}`;
}

export function projectLink(key: string): string {
  return `/project/?key=${encodeURIComponent(key)}`;
}

export function previewLink(project: string): string {
  return `/preview/?project=${encodeURIComponent(project)}`;
}

/** The history up to the end of the week that starts on `monday`. */
export function weekLink(monday: string): string {
  const end = new Date(Date.parse(monday) + 6 * 86_400_000);
  return `/history/?until=${end.toISOString().slice(0, 10)}`;
}

export function commitLink(commit: string): string {
  return `/history/?commit=${encodeURIComponent(commit)}`;
}
