// Typed but unsaved text: stored in this browser, for each form, until it is saved or discarded.
import { makeStore } from "./store";

const PREFIX = "anamnesis-draft:";
const TAB = "anamnesis-tab";

export type Fields = Record<string, string>;
export type Draft = {
  /** Which form: `new`, `edit/ID`, `replace/ID`, `conflict/ID`. */
  place: string;
  at: string;
  /** The version of the note that the text is based on; empty for a new note. */
  base: string;
  fields: Fields;
};

const NONE: Draft[] = [];
let seen = { text: "", drafts: NONE };

/** Every draft in this browser, the newest first. */
export const drafts = makeStore<Draft[]>(NONE, {
  read: snapshot,
  follow: (changed) => {
    window.addEventListener("storage", changed);
    return () => window.removeEventListener("storage", changed);
  },
});

/** Save a draft for this tab; false if the browser refuses, because its storage is full or disabled. */
export function keepDraft(place: string, base: string, fields: Fields): boolean {
  try {
    const draft: Draft = { place, base, fields, at: new Date().toISOString() };
    localStorage.setItem(keyOf(place), JSON.stringify(draft));
  } catch {
    return false;
  }
  drafts.changed();
  return true;
}

/** A form's draft: this tab's own, or else the newest from another tab, which this tab then takes over. */
export function takeDraft(place: string): Draft | null {
  const own = read(keyOf(place));
  if (own) return own;
  const others = stored().filter((found) => found.draft.place === place);
  const newest = others.toSorted((one, other) => other.draft.at.localeCompare(one.draft.at))[0];
  if (!newest) return null;
  // The other tab, if it is still open, has the text in its form and saves it again when it changes or closes.
  localStorage.setItem(keyOf(place), JSON.stringify(newest.draft));
  localStorage.removeItem(newest.key);
  return newest.draft;
}

export function dropDraft(place: string): void {
  localStorage.removeItem(keyOf(place));
  drafts.changed();
}

export function draftLink(place: string): string {
  const [kind, id = ""] = place.split("/");
  const named = encodeURIComponent(id);
  if (kind === "edit") return `/note/?id=${named}&view=edit`;
  if (kind === "replace") return `/note/?id=${named}&view=supersede`;
  if (kind === "conflict") return "/inbox/";
  return "/note/new/";
}

function snapshot(): Draft[] {
  const found = stored();
  const text = found.map(({ key, draft }) => key + draft.at).join(" ");
  if (text !== seen.text) {
    seen = { text, drafts: found.map(({ draft }) => draft).toSorted((one, other) => other.at.localeCompare(one.at)) };
  }
  return seen.drafts;
}

function stored(): { key: string; draft: Draft }[] {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  return keys.flatMap((key) => {
    const draft = read(key);
    return draft ? [{ key, draft }] : [];
  });
}

function read(key: string): Draft | null {
  try {
    const draft = JSON.parse(localStorage.getItem(key) ?? "null") as Draft | null;
    return draft && typeof draft.place === "string" && typeof draft.fields === "object" ? draft : null;
  } catch {
    return null;
  }
}

function keyOf(place: string): string {
  const tab = sessionStorage.getItem(TAB) ?? crypto.randomUUID();
  sessionStorage.setItem(TAB, tab);
  return `${PREFIX}${tab}:${place}`;
}
