import { diffLines } from "diff";
import clsx from "clsx";
import type { HeldNote } from "@/lib/schemas/fleet";

/** Both whole texts, what differs marked on each side. */
export function SideBySide({ held }: { held: HeldNote }) {
  const parts = diffLines(held.mine ?? "", held.theirs ?? "");
  const mine = parts.filter((part) => !part.added).map((part) => ({ text: part.value, differs: part.removed }));
  const theirs = parts.filter((part) => !part.removed).map((part) => ({ text: part.value, differs: part.added }));
  return (
    <div className="grid gap-3 md:grid-cols-2">
      <Side name="Mine, on this machine" parts={mine} />
      <Side name={held.machine ? `Theirs, from ${held.machine}` : "Theirs, from another machine"} parts={theirs} />
    </div>
  );
}

function Side({ name, parts }: { name: string; parts: { text: string; differs: boolean }[] }) {
  return (
    <section aria-label={name} className="min-w-0">
      <h3 className="mb-1 text-[0.8rem] font-medium text-soft">{name}</h3>
      <div className="max-h-96 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-[0.78rem] leading-relaxed whitespace-pre-wrap">
        {parts.length === 0 && <p className="text-faint italic">deleted on this side</p>}
        {parts.map((part, place) => (
          <span key={place} className={clsx(part.differs && "-mx-1 block rounded-sm bg-mark px-1")}>
            {part.text}
          </span>
        ))}
      </div>
    </section>
  );
}
