// Two texts compared: passages that are the same, folded, and passages that differ, word by word.
import { diffLines, diffWordsWithSpace } from "diff";

export type Span = { text: string; changed: boolean };
export type Passage =
  | { kind: "same"; before: string[]; hidden: number; after: string[] }
  | { kind: "differs"; before: Span[][]; after: Span[][] };

/** The passages in order; of lines that did not change, only `around` next to a difference. */
export function comparePassages(before: string, after: string, around = 2): Passage[] {
  const parts = diffLines(ended(before), ended(after));
  const passages: Passage[] = [];
  for (let place = 0; place < parts.length; place += 1) {
    const part = parts[place];
    if (!part) continue;
    if (!part.added && !part.removed) {
      const all = lines(part.value);
      const head = place === 0 ? [] : all.slice(0, around);
      const tail = place === parts.length - 1 ? [] : all.slice(Math.max(head.length, all.length - around));
      passages.push({ kind: "same", before: head, hidden: all.length - head.length - tail.length, after: tail });
      continue;
    }
    const next = parts[place + 1];
    const answered = part.removed && next?.added;
    passages.push(differing(part.removed ? part.value : "", part.added ? part.value : answered ? next.value : ""));
    if (answered) place += 1;
  }
  return passages;
}

/** The words that differ are marked, unless almost all do. */
function differing(before: string, after: string): Passage {
  const words = diffWordsWithSpace(before, after);
  const kept = words.filter((w) => !w.added && !w.removed).reduce((sum, w) => sum + w.value.length, 0);
  const alike = kept * 2 > Math.max(before.length, after.length);
  const marked = (w: (typeof words)[number]) => alike && Boolean(w.added || w.removed);
  return {
    kind: "differs",
    before: splitSpans(
      words.filter((w) => !w.added),
      marked,
    ),
    after: splitSpans(
      words.filter((w) => !w.removed),
      marked,
    ),
  };
}

function splitSpans<T extends { value: string }>(words: T[], changed: (word: T) => boolean): Span[][] {
  const rows: Span[][] = [[]];
  for (const word of words) {
    word.value.split("\n").forEach((text, place) => {
      if (place > 0) rows.push([]);
      if (text) rows.at(-1)?.push({ text, changed: changed(word) });
    });
  }
  return rows.at(-1)?.length === 0 ? rows.slice(0, -1) : rows;
}

const lines = (text: string): string[] => text.split("\n").slice(0, -1);
const ended = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

/** A note's file as the fields of its front matter and its text; a file without front matter is all text. */
export function splitNote(file: string): { fields: Map<string, string>; body: string } {
  const found = /^---\r?\n([\s\S]*?\n)---\r?\n?([\s\S]*)$/.exec(file);
  const rows = [...(found?.[1] ?? "").matchAll(/^(\w[\w.-]*):[ \t]*(.*(?:\n[ \t-].*)*)/gm)];
  const fields = rows.map(([, name, value]): [string, string] => [name ?? "", plain(value ?? "")]);
  return { fields: new Map(fields), body: (found ? (found[2] ?? "") : file).trim() };
}

/** A value of the front matter as a person would say it: a list on one line, no quotes. */
function plain(value: string): string {
  const items = value.split("\n").map((line) =>
    line
      .trim()
      .replace(/^- /, "")
      .replace(/^(['"])(.*)\1$/, "$2"),
  );
  return items
    .filter(Boolean)
    .join(", ")
    .replace(/^\[(.*)\]$/, "$1");
}

/** Fields that differ in every version and say nothing to a reader. */
const SILENT = ["updated_at", "created_at", "id", "machine_id"];

/** The fields of two files that differ, with both values. */
export function changedFields(before: Map<string, string>, after: Map<string, string>): [string, string, string][] {
  const names = [...new Set([...before.keys(), ...after.keys()])].filter((name) => !SILENT.includes(name));
  return names
    .map((name): [string, string, string] => [name, before.get(name) ?? "", after.get(name) ?? ""])
    .filter(([, one, other]) => one !== other);
}
