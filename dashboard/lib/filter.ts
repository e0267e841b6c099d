// The filter of a list, in the URL, so that it can be linked and Back works; and links to the pages.
export const FILTER_KEYS = [
  "q",
  "type",
  "project",
  "machine",
  "kind",
  "tags",
  "source",
  "scope",
  "superseded",
  "since",
  "until",
  "sort",
] as const;

export type FilterKey = (typeof FILTER_KEYS)[number];
export type Filter = Partial<Record<FilterKey, string>>;

export function readFilter(asked: URLSearchParams): Filter {
  return tidyFilter(Object.fromEntries(FILTER_KEYS.map((key) => [key, asked.get(key) ?? ""])));
}

/** The filter without empty values: one filter has one form, and so one cached answer. */
export function tidyFilter(filter: Filter): Filter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value));
}

/** Whether two filters are equal, or differ in only one key. */
export function isSameBut(key: FilterKey, one: Filter, other: Filter): boolean {
  return FILTER_KEYS.every((each) => each === key || (one[each] ?? "") === (other[each] ?? ""));
}

export function withFilter(page: string, filter: Filter): string {
  const asked = new URLSearchParams(tidyFilter(filter)).toString();
  return asked ? `${page}?${asked}` : page;
}

export const notesLink = (filter: Filter = {}): string => withFilter("/notes/", filter);
export const activityLink = (filter: Filter = {}): string => withFilter("/activity/", filter);
export const noteLink = (id: string, view = ""): string =>
  `/note/?id=${encodeURIComponent(id)}${view && `&view=${view}`}`;
export const sessionLink = (id: string): string => `/activity/?session=${encodeURIComponent(id)}`;
export const projectLink = (key: string): string => `/projects/?key=${encodeURIComponent(key)}`;

const DAY = 86_400_000;
const isoDay = (moment: number): string =>
  new Date(moment - new Date(moment).getTimezoneOffset() * 60_000).toISOString().slice(0, 10);

/** The days that a list can be narrowed to with one click, as of now. */
export function dayPresets(now = Date.now()): { name: string; since: string; until: string }[] {
  const weekday = (new Date(now).getDay() + 6) % 7; // Monday is 0
  const day = new Date(now).getDate();
  return [
    { name: "Today", since: isoDay(now), until: "" },
    { name: "Yesterday", since: isoDay(now - DAY), until: isoDay(now - DAY) },
    { name: "This week", since: isoDay(now - weekday * DAY), until: "" },
    { name: "This month", since: isoDay(now - (day - 1) * DAY), until: "" },
  ];
}

/** The seven days that start on `monday`. */
export function weekOf(monday: string): { since: string; until: string } {
  return { since: monday, until: new Date(Date.parse(monday) + 6 * DAY).toISOString().slice(0, 10) };
}
