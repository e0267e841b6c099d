// Two versions of a note compared: where their texts differ, word by word, and where they agree.
import { diffLines } from "diff";
import { changedSpans, type Span } from "./diff";

export type Passage =
  | { kind: "same"; before: string[]; hidden: number; after: string[] }
  | { kind: "differs"; mine: Span[][]; theirs: Span[][] };

const AROUND = 1;

/** The passages of two texts in order; shared lines only next to a difference. */
export function comparePassages(mine: string, theirs: string): Passage[] {
  const parts = diffLines(ended(mine), ended(theirs));
  const passages: Passage[] = [];
  for (let place = 0; place < parts.length; place += 1) {
    const part = parts[place];
    if (!part) continue;
    if (!part.added && !part.removed) {
      passages.push(fold(lines(part.value), { first: place === 0, last: place === parts.length - 1 }));
      continue;
    }
    const next = parts[place + 1];
    const answered = part.removed && next?.added;
    passages.push(differing(part.removed ? part.value : "", part.added ? part.value : answered ? next.value : ""));
    if (answered) place += 1;
  }
  return passages;
}

/** A note's file as its front matter and its text; a file without front matter is all text. */
export function splitNote(file: string): { head: string; body: string } {
  const found = /^---\r?\n([\s\S]*?\n)---\r?\n?([\s\S]*)$/.exec(file);
  return found ? { head: found[1] ?? "", body: (found[2] ?? "").trim() } : { head: "", body: file };
}

/** Front matter without `updated_at`, which differs in every clash and is shown in words. */
export function tellingHead(head: string): string {
  return head.replace(/^updated_at:.*\n/m, "");
}

export function changedAt(file: string | null): string {
  return /^updated_at: *['"]?([^'"\n]+)/m.exec(file ?? "")?.[1]?.trim() ?? "";
}

function differing(mine: string, theirs: string): Passage {
  const { before, after } = changedSpans(mine, theirs);
  return { kind: "differs", mine: before, theirs: after };
}

function fold(all: string[], { first, last }: { first: boolean; last: boolean }): Passage {
  const before = first ? [] : all.slice(0, AROUND);
  const after = last ? [] : all.slice(Math.max(before.length, all.length - AROUND));
  return { kind: "same", before, hidden: all.length - before.length - after.length, after };
}

function lines(text: string): string[] {
  return text.split("\n").slice(0, -1);
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
