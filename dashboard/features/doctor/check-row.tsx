"use client";

import { CircleAlert, CircleCheck, CircleX, LoaderCircle } from "lucide-react";
import { useEffect, useRef } from "react";
import { Phrase } from "@/components/phrase";
import type { Check } from "@/lib/schemas/health";

const LOOKS = {
  ok: { icon: CircleCheck, colour: "text-good", word: "fine" },
  warn: { icon: CircleAlert, colour: "text-warn", word: "needs attention" },
  bad: { icon: CircleX, colour: "text-bad", word: "broken" },
};

export function CheckRow({ check }: { check: Check }) {
  const { icon: Icon, colour, word } = LOOKS[check.state];
  const row = useRef<HTMLLIElement>(null);
  // The browser looked for the URL's fragment before the checks were loaded.
  useEffect(() => {
    if (decodeURIComponent(window.location.hash) === `#${check.name}`) row.current?.scrollIntoView({ block: "center" });
  }, [check.name]);
  return (
    <li ref={row} id={check.name} className="flex gap-3 border-b border-line px-4 py-2 last:border-0 target:bg-accent-wash">
      <Icon aria-label={word} role="img" className={`mt-0.5 size-4.5 shrink-0 ${colour}`} />
      <div className="grid min-w-0 flex-1 gap-x-4 sm:grid-cols-[9rem_minmax(0,1fr)]">
        <h2 className="text-base font-medium">{check.name}</h2>
        <div className="text-sm">
          <p className="whitespace-pre-line text-soft">
            <Phrase text={check.evidence} />
          </p>
          {check.remedy && (
            <p className="mt-0.5">
              <span className="text-faint">What to do: </span>
              <Phrase text={check.remedy} />
            </p>
          )}
        </div>
      </div>
    </li>
  );
}

/** A slow check whose finding is not there yet. */
export function PendingCheck({ name, error }: { name: string; error: Error | null }) {
  const Icon = error ? CircleX : LoaderCircle;
  return (
    <li className="flex gap-3 border-b border-line px-4 py-2 last:border-0">
      <Icon aria-hidden className={`mt-0.5 size-4.5 shrink-0 ${error ? "text-bad" : "animate-spin text-faint"}`} />
      <div className="grid min-w-0 flex-1 gap-x-4 sm:grid-cols-[9rem_minmax(0,1fr)]">
        <h2 className="text-base font-medium">{name}</h2>
        <p className="text-sm text-faint">{error ? error.message : "Still checking."}</p>
      </div>
    </li>
  );
}
