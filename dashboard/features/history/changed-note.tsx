"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { DiffView } from "@/components/diff-view";
import Link from "@/components/link";
import { Loaded } from "@/components/loaded";
import { Title } from "@/components/title";
import { TypeMark } from "@/components/type-mark";
import { splitNote, tellingHead } from "@/lib/clash";
import { noteLink } from "@/lib/filter";
import { useNoteDiff } from "@/lib/queries";
import type { ChangedNote } from "@/lib/schemas/history";

const Markdown = dynamic(() => import("@/components/markdown").then((module) => module.Markdown), { ssr: false });

type Props = { change: ChangedNote; commit: string; startsOpen: boolean };

/** One note of a commit; its texts are loaded when it is opened. */
export function ChangedNotePanel({ change, commit, startsOpen }: Props) {
  const [open, setOpen] = useState(startsOpen);
  return (
    <details
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="overflow-hidden rounded-lg border border-line bg-panel"
    >
      <summary className="flex items-center gap-2.5 px-4 py-2.5 marker:content-none hover:bg-sunken">
        {change.type && <TypeMark type={change.type} />}
        <span className="min-w-0 flex-1 font-medium">
          <Title text={change.title} />
        </span>
        <span className="text-xs text-faint">{change.action}</span>
      </summary>
      {open && <Change change={change} commit={commit} />}
    </details>
  );
}

/** A written or deleted note is shown whole; an edited one as a diff. */
function Change({ change, commit }: { change: ChangedNote; commit: string }) {
  return (
    <div className="space-y-3 border-t border-line px-4 py-3">
      <Loaded query={useNoteDiff(change.id, "", commit)}>
        {(diff) => {
          const [before, after] = [splitNote(diff.from.text), splitNote(diff.to.text)];
          if (!diff.from.text || !diff.to.text) return <Markdown text={(diff.to.text ? after : before).body} />;
          const heads = [tellingHead(before.head), tellingHead(after.head)] as const;
          return (
            <>
              {before.body !== after.body && <DiffView before={before.body} after={after.body} />}
              {heads[0] !== heads[1] && <DiffView before={heads[0]} after={heads[1]} />}
            </>
          );
        }}
      </Loaded>
      <Link href={noteLink(change.id)} className="text-sm text-accent underline">
        Open the note
      </Link>
    </div>
  );
}
