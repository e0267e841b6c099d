"use client";

import { GitMerge, KeyRound, Replace } from "lucide-react";
import { Callout } from "@/components/callout";
import Link from "@/components/link";
import { Markdown } from "@/components/markdown";
import { Title } from "@/components/title";
import { useAct } from "@/lib/act";
import { api } from "@/lib/api";
import { noteLink } from "@/lib/filter";
import type { LinkedNotes } from "@/lib/note-links";
import { IS_PRIVATE, PRIVATE, type Note, type NoteLinks } from "@/lib/types";

/** A note's text, below any warning about it. */
export function NoteBody({ note, links }: { note: Note; links: NoteLinks | undefined }) {
  return (
    <article className="min-w-0">
      {note.held && (
        <Callout icon={<GitMerge aria-hidden />}>
          Another machine changed the same lines. This is your version, and it is not synced until you{" "}
          <Link href="/inbox/" className="font-medium text-accent underline">
            choose
          </Link>
          .
        </Callout>
      )}
      {note.waiting.length > 0 && <Credential note={note} />}
      {note.replaced_by.map((newer) => (
        <Callout key={newer.id} icon={<Replace aria-hidden />}>
          Out of date. Replaced by{" "}
          <Link href={noteLink(newer.id)} className="font-medium text-accent underline">
            <Title text={newer.title} />
          </Link>
          , and no longer found or told.
        </Callout>
      ))}
      {note.body.trim() ? (
        <Markdown text={note.body} linked={linkedNotes(links)} />
      ) : (
        <p className="text-faint italic">This note has no text.</p>
      )}
    </article>
  );
}

/** The note is not synced; its credential can be removed here. */
function Credential({ note }: { note: Note }) {
  const clean = useAct(() => api.clean(note.id), {
    say: "Removed. Change the credential where it is used: it stood in a file.",
  });
  if (note.waiting[0]?.kind === PRIVATE) return <Callout icon={<KeyRound aria-hidden />}>{IS_PRIVATE}</Callout>;
  const found = note.waiting.map(({ line, kind }) => `${kind} in line ${line}`).join(", ");
  return (
    <Callout icon={<KeyRound aria-hidden />}>
      Not synced: it contains what looks like a credential ({found}).{" "}
      <button
        type="button"
        disabled={clean.isPending}
        onClick={() => clean.mutate()}
        className="font-medium text-accent underline">
        Remove it
      </button>
    </Callout>
  );
}

function linkedNotes(links: NoteLinks | undefined): LinkedNotes {
  return new Map((links?.mentions ?? []).map(({ text, note }) => [text, note]));
}
