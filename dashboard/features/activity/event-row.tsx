"use client";

import { FilePen, FilePlus2, MessagesSquare, Trash2 } from "lucide-react";
import Link from "@/components/link";
import { Title } from "@/components/title";
import { TypeMark } from "@/components/type-mark";
import { noteLink, notesLink, sessionLink } from "@/lib/filter";
import { clockTime, exactTime, plural } from "@/lib/format";
import type { Event, SessionRow } from "@/lib/types";

type Shown = Event & { note: string };

const KINDS = {
  session: { icon: MessagesSquare, word: "session" },
  added: { icon: FilePlus2, word: "written" },
  edited: { icon: FilePen, word: "edited" },
  deleted: { icon: Trash2, word: "deleted" },
};

export function eventLink(event: Shown): string {
  if (event.session) return sessionLink(event.session.id);
  if (!event.note) return notesLink({ machine: event.machine_id });
  return event.kind === "deleted"
    ? noteLink(event.note)
    : `${noteLink(event.note, "history")}&to=${event.commit ?? ""}`;
}

/** One thing that happened: what, where and when; the page of a deleted note can restore it. */
export function EventRow({ event }: { event: Shown }) {
  const { icon: Icon, word } = KINDS[event.kind];
  return (
    <div className="flex items-center gap-3 border-b border-line px-4 py-2">
      <Icon aria-label={word} role="img" className="size-4 shrink-0 text-faint" />
      <Link href={eventLink(event)} className="group min-w-0 flex-1 outline-offset-[-2px]">
        <span className="line-clamp-2 group-hover:underline sm:line-clamp-1">
          {event.type && <TypeMark type={event.type} />}{" "}
          <span className="font-medium">
            {event.session ? <SessionName session={event.session} /> : <Title text={event.title} />}
          </span>
        </span>
        <span className="flex flex-wrap gap-x-3 text-xs text-faint">
          <span>{word}</span>
          {event.project && <span>{event.project}</span>}
          <span>{event.machine_id}</span>
          {event.session && <span>{figures(event.session)}</span>}
        </span>
      </Link>
      <time dateTime={event.at} title={exactTime(event.at)} className="shrink-0 text-xs text-faint tabular-nums">
        {clockTime(event.at)}
      </time>
    </div>
  );
}

/** What a session was about, or why that is not known. */
export function SessionName({ session }: { session: SessionRow }) {
  if (session.note) return <Title text={session.note.title} />;
  const why = session.state === "trivial" ? "A session with nothing worth saving" : "A session without a note yet";
  return <span className="font-normal text-soft italic">{why}</span>;
}

/** "told 12 notes, used 2, 1 search, wrote 1"; empty if this machine has no receipt. */
export function figures(session: SessionRow): string {
  if (session.given === null) return "";
  return [
    `told ${plural(session.given, "note")}`,
    session.used > 0 && `used ${session.used}`,
    session.searched > 0 && plural(session.searched, "search", "searches"),
    session.wrote > 0 && `wrote ${session.wrote}`,
  ]
    .filter(Boolean)
    .join(", ");
}
