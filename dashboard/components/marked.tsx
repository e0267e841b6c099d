import { markTerms } from "@/lib/highlight";

/** Text with the words a search matched marked. */
export function Marked({ text, terms }: { text: string; terms: string[] }) {
  return markTerms(text, terms).map((piece, place) =>
    piece.marked ? <mark key={place}>{piece.text}</mark> : piece.text,
  );
}
