// A diff as rows for the page: unchanged, removed, added; long unchanged stretches are folded.
import { diffLines, diffWordsWithSpace } from "diff";

export type Span = { text: string; changed: boolean };
export type Row =
  | { kind: "same" | "removed" | "added"; spans: Span[] }
  | { kind: "folded"; lines: number };

const AROUND = 3;

export function diffRows(before: string, after: string): Row[] {
  const parts = diffLines(before, after);
  const rows: Row[] = [];
  for (let place = 0; place < parts.length; place += 1) {
    const part = parts[place];
    const following = parts[place + 1];
    if (!part) continue;
    if (part.removed && following?.added) {
      rows.push(...changedRows(part.value, following.value));
      place += 1;
    } else {
      const kind = part.added ? "added" : part.removed ? "removed" : "same";
      rows.push(...lines(part.value).map((text) => ({ kind, spans: [{ text, changed: false }] }) satisfies Row));
    }
  }
  return fold(rows);
}

function changedRows(before: string, after: string): Row[] {
  const spans = changedSpans(before, after);
  const side = (kind: "removed" | "added", rows: Span[][]): Row[] => rows.map((row) => ({ kind, spans: row }));
  return [...side("removed", spans.before), ...side("added", spans.after)];
}

/** Two stretches that replace each other: the words that differ are marked, unless almost all do. */
export function changedSpans(before: string, after: string): { before: Span[][]; after: Span[][] } {
  const words = diffWordsWithSpace(before, after);
  const kept = words.filter((w) => !w.added && !w.removed).reduce((sum, w) => sum + w.value.length, 0);
  const alike = kept * 2 > Math.max(before.length, after.length);
  const marked = (w: (typeof words)[number]) => alike && Boolean(w.added || w.removed);
  return {
    before: splitSpans(words.filter((w) => !w.added), marked),
    after: splitSpans(words.filter((w) => !w.removed), marked),
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

function lines(text: string): string[] {
  const found = text.split("\n");
  return found.at(-1) === "" ? found.slice(0, -1) : found;
}

function fold(rows: Row[]): Row[] {
  const near = rows.map((_, place) =>
    rows.slice(Math.max(0, place - AROUND), place + AROUND + 1).some((row) => row.kind !== "same"),
  );
  const folded: Row[] = [];
  rows.forEach((row, place) => {
    const last = folded.at(-1);
    if (near[place]) folded.push(row);
    else if (last?.kind === "folded") last.lines += 1;
    else folded.push({ kind: "folded", lines: 1 });
  });
  return folded;
}
