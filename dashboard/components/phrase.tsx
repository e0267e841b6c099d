/** A sentence of the server's; what stands between backticks in it is a command or a name. */
export function Phrase({ text }: { text: string }) {
  return text.split(/`([^`\n]+)`/).map((part, place) =>
    place % 2 === 1 ? (
      <code key={place} className="rounded border border-line bg-sunken px-1 py-px font-mono text-[0.8em] text-ink">
        {part}
      </code>
    ) : (
      part
    ),
  );
}
