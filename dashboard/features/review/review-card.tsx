"use client";

import clsx from "clsx";
import { Check, Pencil, Trash2 } from "lucide-react";
import dynamic from "next/dynamic";
import Link from "@/components/link";
import { Loaded } from "@/components/loaded";
import { Moment } from "@/components/moment";
import { Title } from "@/components/title";
import { TypeMark } from "@/components/type-mark";
import { Button, buttonClass } from "@/components/ui/button";
import { noteLink } from "@/lib/filter";
import { percent } from "@/lib/format";
import { useNote } from "@/lib/queries";
import type { NoteSummary } from "@/lib/schemas/note";

const Markdown = dynamic(() => import("@/components/markdown").then((module) => module.Markdown), { ssr: false });

type Props = { note: NoteSummary; active: boolean; onKeep: () => void; onDelete: () => void };

/** One note to review; the focused one shows its text. */
export function ReviewCard({ note, active, onKeep, onDelete }: Props) {
  return (
    <article className={clsx("rounded-lg border bg-panel px-4 py-3", active ? "border-accent" : "border-line")}>
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0 flex-[1_1_18rem]">
          <h2 className="flex items-baseline gap-2 font-medium">
            <TypeMark type={note.type} />
            <Link href={noteLink(note.id)} className="hover:underline">
              <Title text={note.title} />
            </Link>
          </h2>
          <p className="pl-[1.15rem] text-xs text-faint">
            {note.prov_source}
            {note.prov_model && ` by ${note.prov_model}`}, {note.project}, <Moment at={note.created_at} />, confidence{" "}
            {percent(note.confidence)}
          </p>
        </div>
        <div className="flex gap-1.5">
          <Button small look={active ? "primary" : "plain"} onClick={onKeep}>
            <Check aria-hidden /> Keep
          </Button>
          <Link href={`${noteLink(note.id)}&view=edit`} className={buttonClass({ small: true })}>
            <Pencil aria-hidden /> Edit
          </Link>
          <Button small look="danger" onClick={onDelete}>
            <Trash2 aria-hidden /> Delete
          </Button>
        </div>
      </div>
      {active && <Body id={note.id} />}
    </article>
  );
}

function Body({ id }: { id: string }) {
  return (
    <div className="mt-3 border-t border-line pt-3 pl-[1.15rem]">
      <Loaded query={useNote(id)}>{(note) => <Markdown text={note.body} />}</Loaded>
    </div>
  );
}
