import { CircleAlert, CircleCheck, CircleX, LoaderCircle } from "lucide-react";
import { Phrase } from "@/components/phrase";
import type { Check } from "@/lib/schemas/health";

const LOOKS = {
  ok: { icon: CircleCheck, colour: "text-good", word: "well" },
  warn: { icon: CircleAlert, colour: "text-warn", word: "look at this" },
  bad: { icon: CircleX, colour: "text-bad", word: "broken" },
};

export function CheckRow({ check }: { check: Check }) {
  const { icon: Icon, colour, word } = LOOKS[check.state];
  return (
    <li id={check.name} className="flex gap-3 border-b border-line px-4 py-2 last:border-0">
      <Icon aria-label={word} role="img" className={`mt-0.5 size-4.5 shrink-0 ${colour}`} />
      <div className="grid min-w-0 flex-1 gap-x-4 sm:grid-cols-[9rem_minmax(0,1fr)]">
        <h2 className="text-[0.92rem] font-medium">{check.name}</h2>
        <div className="text-[0.88rem]">
          <p className="whitespace-pre-line text-soft">
            <Phrase text={check.evidence} />
          </p>
          {check.cure && (
            <p className="mt-0.5">
              <span className="text-faint">Cure: </span>
              <Phrase text={check.cure} />
            </p>
          )}
        </div>
      </div>
    </li>
  );
}

/** A check that takes a while, until its finding is there. */
export function PendingCheck({ name, error }: { name: string; error: Error | null }) {
  const Icon = error ? CircleX : LoaderCircle;
  return (
    <li className="flex gap-3 border-b border-line px-4 py-2 last:border-0">
      <Icon aria-hidden className={`mt-0.5 size-4.5 shrink-0 ${error ? "text-bad" : "animate-spin text-faint"}`} />
      <div className="grid min-w-0 flex-1 gap-x-4 sm:grid-cols-[9rem_minmax(0,1fr)]">
        <h2 className="text-[0.92rem] font-medium">{name}</h2>
        <p className="text-[0.88rem] text-faint">{error ? error.message : "Still looking."}</p>
      </div>
    </li>
  );
}
