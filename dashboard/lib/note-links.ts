// [[titles]] and ids in a note's text become links to the notes that they name.
import { noteLink } from "./filter";

type LinkedNote = { id: string; title: string };

/** The notes that a text names, by the text that names them. */
export type LinkedNotes = ReadonlyMap<string, LinkedNote>;

type Node = { type: string; value?: string; url?: string; children?: Node[] };

// A title in double brackets; or an id, alone, in the address of a note, or in the path of its file.
const REFERENCE =
  /\[\[([^[\]\n]{1,200})\]\]|(?:anamnesis:\/\/note\/|[\w~./-]*\/(?:procedural|semantic|episodic)\/)?\b([0-9A-HJKMNP-TV-Z]{26})\b(?:\.md\b)?/g;

/** A remark plugin: text that names a known note becomes a link to it; anything else stays text. */
export function linkNotes(linked: LinkedNotes) {
  return (tree: Node) => walk(tree, linked);
}

function walk(node: Node, linked: LinkedNotes): void {
  if (!node.children || node.type === "link" || node.type === "linkReference") return;
  node.children = node.children.flatMap((child) => {
    if (child.type === "text") return split(child.value ?? "", linked);
    if (child.type === "inlineCode") return [linkTo(linked.get(child.value ?? ""), [child]) ?? child];
    walk(child, linked);
    return [child];
  });
}

function split(text: string, linked: LinkedNotes): Node[] {
  const nodes: Node[] = [];
  let end = 0;
  for (const found of text.matchAll(REFERENCE)) {
    const named = found[1]?.trim() ?? found[2] ?? "";
    const note = linked.get(named);
    // An id means nothing to a reader, so the title replaces it.
    const link = note && linkTo(note, [{ type: "text", value: found[1] ? named : note.title }]);
    if (!link) continue;
    nodes.push({ type: "text", value: text.slice(end, found.index) }, link);
    end = found.index + found[0].length;
  }
  return [...nodes, { type: "text", value: text.slice(end) }].filter((node) => node.type !== "text" || node.value);
}

function linkTo(note: LinkedNote | undefined, children: Node[]): Node | undefined {
  return note && { type: "link", url: noteLink(note.id), children };
}
