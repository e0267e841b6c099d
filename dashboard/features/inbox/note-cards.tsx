"use client";

import { useQuery } from "@tanstack/react-query";
import { Check, ListChecks, Pencil, Trash2, VolumeX, type LucideIcon } from "lucide-react";
import { useState, type ReactNode } from "react";
import Link from "@/components/link";
import { Loaded } from "@/components/loaded";
import { Markdown } from "@/components/markdown";
import { Moment } from "@/components/moment";
import { Title } from "@/components/title";
import { Card, type Act, type Place } from "@/features/inbox/card";
import { DeleteNote } from "@/features/notes/delete-note";
import { useAct } from "@/lib/act";
import { api, ask } from "@/lib/api";
import { noteLink } from "@/lib/filter";
import { percent, plural } from "@/lib/format";
import { useTag } from "@/lib/tag";
import type { Inbox, NoteSummary } from "@/lib/types";

/** A note by a model or an import that is not reviewed yet; the active one shows its text. */
export function ReviewCard({ note, place }: { note: NoteSummary; place: Place }) {
  const keep = useAct(() => api.changeNote(note.id, "keep", null), {
    say: `Kept “${note.title}”.`,
    undo: ({ undo }) => api.restore(note.id, { text: undo[note.id] }, null),
  });
  return (
    <NoteCard
      note={note}
      place={place}
      icon={ListChecks}
      kind="To review"
      about={
        <>
          {note.prov_source}
          {note.prov_model && ` by ${note.prov_model}`}, {note.project}, <Moment at={note.created_at} />, confidence{" "}
          {percent(note.confidence)}
        </>
      }
      acts={[
        { label: "Keep", key: "y", icon: Check, look: "primary", run: keep.mutate, busy: keep.isPending },
        { label: "Edit", icon: Pencil, href: noteLink(note.id, "edit") },
      ]}>
      {place.active && <Body id={note.id} />}
    </NoteCard>
  );
}

function Body({ id }: { id: string }) {
  return <Loaded query={useQuery(ask.note(id))}>{(note) => <Markdown text={note.body} />}</Loaded>;
}

/** A note that many sessions were told and none used. */
export function UnusedCard({ note, place }: { note: Inbox["unused"][number]; place: Place }) {
  const quieten = useTag(note.id, "reference");
  return (
    <NoteCard
      note={note}
      place={place}
      icon={VolumeX}
      kind="Told often, never used"
      about={`${plural(note.told, "session")} in ${note.project} were told it, and none used it.`}
      acts={[{ label: "Stop telling", key: "y", run: quieten.mutate, busy: quieten.isPending }]}
    />
  );
}

type Props = {
  note: { id: string; title: string };
  place: Place;
  icon: LucideIcon;
  kind: string;
  about: ReactNode;
  acts: Act[];
  children?: ReactNode;
};

/** A note that waits, which can also be deleted. */
function NoteCard({ note, acts, children, ...rest }: Props) {
  const [deleting, setDeleting] = useState(false);
  const title = (
    <Link href={noteLink(note.id)} className="hover:underline">
      <Title text={note.title} />
    </Link>
  );
  const remove: Act = { label: "Delete", key: "d", icon: Trash2, look: "danger", run: () => setDeleting(true) };
  const dialog = deleting && <DeleteNote note={note} onClose={() => setDeleting(false)} />;
  return (
    <Card {...rest} title={title} acts={[...acts, remove]} dialog={dialog}>
      {children}
    </Card>
  );
}
