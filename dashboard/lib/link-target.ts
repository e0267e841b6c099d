// Where a link in a note leads: to another site, to a note, within the page, or to a file that we cannot open.
import { noteLink } from "./filter";

type LinkTarget = { kind: "out" | "here" | "file" } | { kind: "note"; href: string };

const OWN_PAGE = "/note/";
// A note's address as copied from the browser; the port may differ between starts.
const OWN_HOST = /^http:\/\/(?:localhost|127\.0\.0\.1)(?::\d+)?(?=\/note\/\?)/;
const NOTE_FILE = /(?:^|\/)([0-9A-HJKMNP-TV-Z]{26})\.md$/;

export function resolveLink(href: string): LinkTarget {
  const address = /^anamnesis:\/\/note\/([\w.-]+)$/.exec(href)?.[1];
  if (address) return { kind: "note", href: noteLink(address) };
  const own = href.replace(OWN_HOST, "");
  if (own.startsWith(OWN_PAGE)) return { kind: "note", href: own };
  if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(href)) return { kind: "out" };
  if (href.startsWith("#")) return { kind: "here" };
  const id = NOTE_FILE.exec(href)?.[1];
  return id ? { kind: "note", href: noteLink(id) } : { kind: "file" };
}
