"use client";

import { useId, type ReactNode } from "react";
import Link from "@/components/link";
import { Title } from "@/components/title";
import { TypeMark } from "@/components/type-mark";
import type { LinkedNote } from "@/lib/note-links";

/** A link to a note; hovering or focusing it previews the start of the note. */
export function NoteLink({ href, note, children }: { href: string; note?: LinkedNote; children: ReactNode }) {
  const id = useId();
  if (!note) return <Link href={href}>{children}</Link>;
  return (
    <span className="group relative inline-block">
      <Link href={href} aria-describedby={id}>
        {children}
      </Link>
      <span
        id={id}
        role="tooltip"
        className="pointer-events-none absolute top-full left-0 z-30 hidden w-[min(22rem,75vw)] rounded-lg border border-line bg-panel p-3 font-sans text-sm leading-snug text-soft shadow-lg group-focus-within:block group-hover:block">
        <span className="mb-1 flex items-baseline gap-2 font-medium text-ink">
          <TypeMark type={note.type} /> <Title text={note.title} />
        </span>
        {note.about}
      </span>
    </span>
  );
}
