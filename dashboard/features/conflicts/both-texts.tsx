import type { HeldNote } from "@/lib/schemas/fleet";

type Props = { held: HeldNote; names: { mine: string; theirs: string } };

/** Both files in full. */
export function BothTexts({ held, names }: Props) {
  return (
    <details className="@container text-sm">
      <summary className="text-accent underline">Show both whole texts</summary>
      <div className="mt-2 grid gap-3 @3xl:grid-cols-2">
        <Whole name={names.mine} text={held.mine} />
        <Whole name={names.theirs} text={held.theirs} />
      </div>
    </details>
  );
}

function Whole({ name, text }: { name: string; text: string | null }) {
  return (
    <section aria-label={`${name}, whole`} className="min-w-0">
      <h4 className="mb-1 text-xs font-medium text-soft">{name}</h4>
      <div
        role="group"
        aria-label={`${name}, whole text`}
        // It scrolls, so it must be focusable.
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        dir="auto"
        className="max-h-96 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-xs leading-relaxed whitespace-pre-wrap"
      >
        {text ?? <span className="text-faint italic">deleted on this side</span>}
      </div>
    </section>
  );
}
