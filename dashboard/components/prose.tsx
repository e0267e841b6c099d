"use client";

import { Copy } from "lucide-react";
import Link from "@/components/link";
import { noteLink } from "@/lib/filter";
import { exactTime } from "@/lib/format";
import { copy } from "@/lib/notice";

const PARTS =
  /\bsee `([a-z]+)`|`([^`\n]+)`|(?:\bnote )?(?:[\w.-]+\/)*\b([0-9A-HJKMNP-TV-Z]{26})\b(?:\.md\b)?|\b(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\+00:00|Z| UTC)?)/g;

/** A sentence of the server: ids become links to the notes, times are local, and a command or path can be copied. */
export function Prose({ text }: { text: string }) {
  const pieces = [];
  let end = 0;
  for (const found of text.matchAll(PARTS)) {
    pieces.push(text.slice(end, found.index));
    pieces.push(<Piece key={found.index} check={found[1]} command={found[2]} id={found[3]} moment={found[4]} />);
    end = found.index + found[0].length;
  }
  return (
    <>
      {pieces}
      {text.slice(end)}
    </>
  );
}

function Piece({ check, command, id, moment }: Partial<Record<"check" | "command" | "id" | "moment", string>>) {
  if (check || id) {
    return (
      <Link href={id ? noteLink(id) : `/settings/#${check}`} className="text-accent underline">
        {id ? "this note" : `see ${check}`}
      </Link>
    );
  }
  if (moment) return exactTime(moment.replace(" UTC", "Z").replace(" ", "T"));
  const shown = (
    <code className="rounded border border-line bg-sunken px-1 py-px font-mono text-xs text-ink">{command}</code>
  );
  if (!command || !/[ /]/.test(command)) return shown;
  return (
    <span className="wrap-anywhere">
      {shown}
      <button
        type="button"
        aria-label={`Copy ${command}`}
        onClick={() => void copy(command, "Copied.")}
        className="ml-0.5 inline-grid size-6 place-items-center align-middle text-faint hover:text-ink">
        <Copy aria-hidden className="size-3.5" />
      </button>
    </span>
  );
}
