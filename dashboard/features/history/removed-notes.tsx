"use client";

import { RotateCcw } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { Empty } from "@/components/empty";
import { Loaded } from "@/components/loaded";
import { Moment } from "@/components/moment";
import { Title } from "@/components/title";
import { TypeMark } from "@/components/type-mark";
import { Button } from "@/components/ui/button";
import { useRestore } from "@/features/history/use-restore";
import { plural } from "@/lib/format";
import { useRemoved } from "@/lib/queries";
import type { RemovedNote } from "@/lib/schemas/history";

const Markdown = dynamic(() => import("@/components/markdown").then((module) => module.Markdown), { ssr: false });

/** Deleted notes, latest first; each with its last text and a button to restore it. */
export function RemovedNotes() {
  return (
    <Loaded query={useRemoved()} isEmpty={(data) => data.notes.length === 0} empty="No deleted notes.">
      {(data) => (
        <>
          <ul className="overflow-hidden rounded-lg border border-line bg-panel">
            {data.notes.map((note) => (
              <li key={note.id} className="border-b border-line last:border-0">
                <Removed note={note} />
              </li>
            ))}
          </ul>
          {data.left_out > 0 && <Empty title={`${plural(data.left_out, "older note")} not shown.`} />}
        </>
      )}
    </Loaded>
  );
}

function Removed({ note }: { note: RemovedNote }) {
  const [open, setOpen] = useState(false);
  const restore = useRestore(note.id, null);
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="flex flex-wrap items-baseline gap-x-2.5 px-4 py-2 marker:content-none hover:bg-sunken">
        <TypeMark type={note.type} />
        <span className="min-w-0 flex-[1_1_14rem] font-medium"><Title text={note.title} /></span>
        <span className="text-xs text-faint">
          {note.project}, deleted <Moment at={note.at} /> on {note.removed_on}
        </span>
      </summary>
      {open && (
        <div className="space-y-4 border-t border-line px-4 py-3">
          {note.body.trim() ? <Markdown text={note.body} /> : <p className="text-faint italic">This note had no text.</p>}
          <Button small disabled={restore.isPending} onClick={() => restore.mutate(undefined)}>
            <RotateCcw aria-hidden /> Restore
          </Button>
        </div>
      )}
    </details>
  );
}
