"use client";

import { useIsFetching } from "@tanstack/react-query";
import { LoaderCircle, Search } from "lucide-react";
import { useEffect, useState } from "react";

type Props = { value: string; onChange: (text: string) => void; onLeave: () => void };

/** The search field of a list; it searches on every letter. */
export function SearchBox({ value, onChange, onLeave }: Props) {
  const slow = useIsLong(useIsFetching({ queryKey: ["notes"] }) > 0);
  return (
    <div className="relative mb-3">
      {slow ? (
        <LoaderCircle aria-hidden className="absolute top-3 left-3 size-[1.1rem] animate-spin text-faint" />
      ) : (
        <Search aria-hidden className="absolute top-3 left-3 size-[1.1rem] text-faint" />
      )}
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

/** True once something has taken a moment: a spinner for every keystroke would only flicker. */
function useIsLong(busy: boolean): boolean {
  const [long, setLong] = useState(false);
  useEffect(() => {
    if (!busy) return;
    const timer = setTimeout(() => setLong(true), 250);
    return () => {
      clearTimeout(timer);
      setLong(false);
    };
  }, [busy]);
  return long;
}
