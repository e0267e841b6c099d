import { Marked } from "@/components/marked";

const NONE: string[] = [];

/** A sentence; text in backticks is shown as code, and words that a search matched are highlighted. */
export function Phrase({ text, terms = NONE }: { text: string; terms?: string[] }) {
  return text.split(/`([^`\n]+)`/).map((part, place) =>
    place % 2 === 1 ? (
      <code key={place} className="rounded border border-line bg-sunken px-1 py-px font-mono text-xs text-ink">
        <Marked text={part} terms={terms} />
      </code>
    ) : (
      <Marked key={place} text={part} terms={terms} />
    ),
  );
}
