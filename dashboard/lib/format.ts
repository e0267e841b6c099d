// Numbers, times and words as the pages show them.
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const full = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
const dayForm = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const days = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "short", year: "numeric" });
const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });
const number = new Intl.NumberFormat("en");

/** "3 hours ago"; the text itself when it is not a time. */
export function ago(moment: string, now: number = Date.now()): string {
  const then = Date.parse(moment);
  if (Number.isNaN(then)) return moment || "never";
  const seconds = (then - now) / 1000;
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit);
  }
  return "just now";
}

/** A time in one form; the text itself when it is not a time. */
const written = (form: Intl.DateTimeFormat) => (moment: string) => {
  const then = Date.parse(moment);
  return Number.isNaN(then) ? moment : form.format(then);
};

export const exactTime = written(full);
export const clockTime = written(clock);
/** "5 Jan 2026" for a date. */
export const dayName = written(dayForm);

/** "Monday, 5 Jan 2026": the heading of a timeline's day. */
export function dayOf(moment: string): string {
  const then = Date.parse(moment);
  if (Number.isNaN(then)) return "Unknown day";
  const name = days.format(then);
  if (name === days.format(Date.now())) return "Today";
  return name === days.format(Date.now() - 86_400_000) ? "Yesterday" : name;
}

/** "512 bytes", "14 kB", "3.2 MB". */
export function fileSize(bytes: number): string {
  if (bytes < 1000) return plural(bytes, "byte");
  return bytes < 1_000_000 ? `${count(Math.round(bytes / 1000))} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export function count(value: number): string {
  return number.format(value);
}

/** A fraction as "60%". */
export function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

/** "1 note", "2 notes", "1,204 notes". */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** What the search did with a word that no note contains. */
export function unknownWord({ word, taken_for }: { word: string; taken_for: string[] }): string {
  if (taken_for.length === 0) return `No note contains “${word}”.`;
  return `No note contains “${word}”; searched for ${taken_for.map((near) => `“${near}”`).join(" or ")} instead.`;
}

/** Tags as a person types them: separated by commas, each once. */
export function readTags(text: string): string[] {
  return [...new Set(text.split(",").map((tag) => tag.trim()))].filter(Boolean);
}
