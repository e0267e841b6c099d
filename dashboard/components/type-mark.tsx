import clsx from "clsx";
import type { NoteType } from "@/lib/types";

const COLOURS: Record<NoteType, string> = {
  procedural: "text-procedural",
  semantic: "text-semantic",
  episodic: "text-episodic",
};

/** A note's type as a coloured mark; each type also has its own shape, so that nothing depends on colour alone. */
export function TypeMark({ type, named = false }: { type: NoteType; named?: boolean }) {
  return (
    <span className={clsx("inline-flex items-center gap-1.5", COLOURS[type])}>
      <svg viewBox="0 0 10 10" className="size-2.5 shrink-0 fill-current" aria-hidden>
        {type === "procedural" && <path d="M5 0 10 5 5 10 0 5Z" />}
        {type === "semantic" && <circle cx="5" cy="5" r="4.4" />}
        {type === "episodic" && <rect x="0.8" y="0.8" width="8.4" height="8.4" rx="1" />}
      </svg>
      <span className={named ? "text-sm font-medium" : "sr-only"}>{type}</span>
    </span>
  );
}
