// Which parts of a text to mark because the search matched them.
type Piece = { text: string; marked: boolean };

/** Words that start with a matched term are marked whole, because the index matches word stems. */
export function markTerms(text: string, terms: string[]): Piece[] {
  const wanted = terms.filter(Boolean).map(escapeForPattern);
  if (wanted.length === 0) return [{ text, marked: false }];
  const found = new RegExp(`((?:${wanted.join("|")})[\\p{L}\\p{N}]*)`, "giu");
  return text
    .split(found)
    .map((part, place) => ({ text: part, marked: place % 2 === 1 }))
    .filter((piece) => piece.text);
}

function escapeForPattern(term: string): string {
  return term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** The snippet that shows why a note was found, without markdown syntax and without the title. */
export function tellingSnippet(title: string, match: { snippet: string } | null | undefined): string {
  if (!match || title.includes(match.snippet)) return "";
  const said = withoutMarks(match.snippet);
  const rest = said.startsWith(title) ? said.slice(title.length) : "";
  return withoutMarks(/^ ?[.:;·] /.test(rest) ? rest.replace(/^ ?[.:;·] /, "") : said);
}

/** A snippet has its lines joined by spaces. */
function withoutMarks(text: string): string {
  return text
    .replace(/```+\w*|~~~+\w*|(?<=^|\s)#{1,6}(?=\s)/g, " ")
    .replace(/\*\*|`/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^[-*>] /, "");
}

/** Whether a note was found by meaning, although it contains none of the words. */
export function byMeaning(match: { terms: string[]; meaning: number | null }): boolean {
  return match.meaning !== null && match.terms.length === 0;
}
