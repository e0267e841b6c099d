"use client";

import { useQuery } from "@tanstack/react-query";
import { Check, ListChecks, Pencil, Trash2 } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import Link from "@/components/link";
import { Loaded } from "@/components/loaded";
import { Moment } from "@/components/moment";
import { Title } from "@/components/title";
import { Button, buttonClass } from "@/components/ui/button";
import { Card } from "@/features/inbox/card";
import { DeleteNote } from "@/features/notes/delete-note";
import { useAct } from "@/lib/act";
import { api, ask } from "@/lib/api";
import { noteLink } from "@/lib/filter";
import { percent } from "@/lib/format";
import { useShortcuts } from "@/lib/keys";
import type { NoteSummary } from "@/lib/types";

const Markdown = dynamic(() => import("@/components/markdown").then((module) => module.Markdown), { ssr: false });

/** A note by a model or an import that nobody has reviewed; the active one shows its text. */
export function ReviewCard({ note, active }: { note: NoteSummary; active: boolean }) {
  const [deleting, setDeleting] = useState(false);
  const keep = useAct(() => api.keep(note.id), {
    say: `Kept “${note.title}”.`,
    undo:
      ({ undo }) =>
      () =>
        api.restore(note.id, { text: undo }, null),
  });
  useShortcuts(
    "In the inbox",
    active
      ? {
          y: { does: "Keep", run: () => keep.mutate(undefined) },
          d: { does: "Drop or delete", run: () => setDeleting(true) },
        }
      : {},
  );
  return (
    <Card
      icon={ListChecks}
      kind="To review"
      active={active}
      title={
        <Link href={noteLink(note.id)} className="hover:underline">
          <Title text={note.title} />
        </Link>
      }
      about={
        <>
          {note.prov_source}
          {note.prov_model && ` by ${note.prov_model}`}, {note.project}, <Moment at={note.created_at} />, confidence{" "}
          {percent(note.confidence)}
        </>
      }
      actions={
        <>
          <Button small look="primary" disabled={keep.isPending} onClick={() => keep.mutate(undefined)}>
            <Check aria-hidden /> Keep
          </Button>
          <Link href={noteLink(note.id, "edit")} className={buttonClass({ small: true })}>
            <Pencil aria-hidden /> Edit
          </Link>
          <Button small look="danger" onClick={() => setDeleting(true)}>
            <Trash2 aria-hidden /> Delete
          </Button>
          {deleting && <DeleteNote note={note} onClose={() => setDeleting(false)} onDeleted={() => undefined} />}
        </>
      }>
      {active && <Body id={note.id} />}
    </Card>
  );
}

function Body({ id }: { id: string }) {
  return <Loaded query={useQuery(ask.note(id))}>{(note) => <Markdown text={note.body} />}</Loaded>;
}
