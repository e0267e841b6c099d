// Where a link in a note leads: out, to another note, within the page, or to a file that is not ours to open.
import { noteLink } from "./filter";

export type LinkTarget = { kind: "out" | "here" | "file" } | { kind: "note"; href: string };

const OWN_PAGE = "/note/";
const NOTE_FILE = /(?:^|\/)([0-9A-HJKMNP-TV-Z]{26})\.md$/;

export function resolveLink(href: string): LinkTarget {
  if (href.startsWith(OWN_PAGE)) return { kind: "note", href };
  if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(href)) return { kind: "out" };
  if (href.startsWith("#")) return { kind: "here" };
  const id = NOTE_FILE.exec(href)?.[1];
  return id ? { kind: "note", href: noteLink(id) } : { kind: "file" };
}
