"use client";

import { useIsFetching } from "@tanstack/react-query";
import { LoaderCircle, Search } from "lucide-react";
import { useSettled } from "@/lib/settled";

/** A spinner for every keystroke would only flicker. */
const SLOW_MS = 250;

type Props = { value: string; onChange: (text: string) => void; onLeave: () => void };

/** The search field of a list; it searches on every letter. */
export function SearchBox({ value, onChange, onLeave }: Props) {
  const busy = useIsFetching({ queryKey: ["notes"] }) > 0;
  const slow = useSettled(busy, false, SLOW_MS) && busy;
  const Icon = slow ? LoaderCircle : Search;
  return (
    <div className="relative mb-3">
      <Icon aria-hidden className={`absolute top-3 left-3 size-[1.1rem] text-faint ${slow && "animate-spin"}`} />
      <input
        type="search"
        aria-label="Search notes"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onBlur={onLeave}
        placeholder="Search titles, text and tags"
        className="h-11 w-full rounded-lg border border-edge/60 bg-panel pr-3 pl-10 text-base placeholder:text-faint hover:border-edge"
      />
    </div>
  );
}
