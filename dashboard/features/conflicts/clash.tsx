import { Moment } from "@/components/moment";
import { ClashView } from "@/features/conflicts/clash-view";
import { changedAt, splitNote, tellingHead } from "@/lib/clash";
import type { HeldNote } from "@/lib/schemas/fleet";

/** What two machines did to one note: who and when, the clashing lines, and below them what else differs. */
export function Clash({ held }: { held: HeldNote }) {
  const names = { mine: "Mine, on this machine", theirs: `Theirs, on ${held.machine || "another machine"}` };
  const mine = splitNote(held.mine ?? "");
  const theirs = splitNote(held.theirs ?? "");
  const heads = { mine: tellingHead(mine.head), theirs: tellingHead(theirs.head) };
  return (
    <div className="space-y-4">
      <p className="text-sm text-soft">
        <Story held={held} />
      </p>
      {held.is_text && held.mine !== null && held.theirs !== null && (
        <>
          {mine.body !== theirs.body && <ClashView mine={mine.body} theirs={theirs.body} names={names} />}
          {heads.mine !== heads.theirs && (
            <section aria-label="Front matter">
              <h3 className="mb-1 text-xs font-medium text-soft">In the front matter</h3>
              <div className="font-mono text-xs">
                <ClashView {...heads} names={names} />
              </div>
            </section>
          )}
        </>
      )}
      {held.is_text ? <BothTexts held={held} names={names} /> : <p className="text-sm">This file is not text, so choose one of the two.</p>}
    </div>
  );
}

function Story({ held }: { held: HeldNote }) {
  const here = held.written || changedAt(held.mine);
  return (
    <>
      <strong className="font-medium text-ink">{held.machine || "Another machine"}</strong>{" "}
      {held.theirs === null ? "deleted it" : "changed it"} {held.moment && <Moment at={held.moment} exact />};{" "}
      {held.private ? "here it was made machine-local" : held.mine === null ? "here it was deleted" : "here it was changed"}{" "}
      {here && <Moment at={here} exact />}.
    </>
  );
}

/** Both files in full. */
function BothTexts({ held, names }: { held: HeldNote; names: { mine: string; theirs: string } }) {
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
