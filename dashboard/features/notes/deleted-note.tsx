"use client";

import { useQuery } from "@tanstack/react-query";
import { RotateCcw } from "lucide-react";
import { Empty } from "@/components/empty";
import Link from "@/components/link";
import { Loaded } from "@/components/loaded";
import { Moment } from "@/components/moment";
import { Button } from "@/components/ui/button";
import { useRestore } from "@/features/notes/use-restore";
import { ask } from "@/lib/api";
import { splitNote } from "@/lib/diff";
import { drafts } from "@/lib/drafts";
import { isMissing } from "@/lib/http";
import type { NoteHistory } from "@/lib/types";

/** A missing note: it never existed, or it was deleted and can be restored. */
export function DeletedNote({ id }: { id: string }) {
  const query = useQuery(ask.history(id));
  if (isMissing(query.error)) {
    return (
      <Empty page title="Note not found.">
        No note has this id, and there is none in the history.{" "}
        <Link href="/notes/" className="text-accent underline">
          All notes
        </Link>
        <UnsavedText id={id} />
      </Empty>
    );
  }
  return <Loaded query={query}>{(history) => <Gone history={history} />}</Loaded>;
}

function Gone({ history }: { history: NoteHistory }) {
  const last = history.versions.find((version) => version.action !== "deleted");
  const removal = history.versions[0];
  const inbox = useQuery(ask.inbox());
  const broken = inbox.data?.unreadable.find((file) => file.id === history.id);
  const restore = useRestore(history.id, null, undefined, broken !== undefined);
  const text = useQuery({ ...ask.diff(history.id, "", last?.commit ?? ""), enabled: Boolean(last) }).data?.to;
  if (inbox.isLoading) return null;
  return (
    <>
      <Empty page title={broken ? "The file of this note cannot be read." : "This note was deleted."}>
        {!broken && removal && (removal.action === "deleted" || removal.action === "replaced") && (
          <p>
            <Moment at={removal.at} /> on {removal.machine_id}.
          </p>
        )}
        <UnsavedText id={history.id} />
        {last && (
          <Button className="mt-4" act={restore}>
            <RotateCcw aria-hidden /> Restore it
          </Button>
        )}
      </Empty>
      {text && (
        <section aria-label="Its last text" className="mt-6 max-w-[68ch]">
          <h2 className="mb-2 font-serif text-xl font-medium">{splitNote(text).fields.get("title")}</h2>
          <p dir="auto" className="whitespace-pre-wrap text-soft">
            {splitNote(text).body}
          </p>
        </section>
      )}
    </>
  );
}

/** An unsaved edit of the note, which can still be saved as a new note. */
function UnsavedText({ id }: { id: string }) {
  const place = `edit/${id}`;
  if (!drafts.use().some((draft) => draft.place === place)) return null;
  return (
    <p className="mt-4">
      You have unsaved text for it.{" "}
      <Link href={`/note/new/?draft=${encodeURIComponent(place)}`} className="text-accent underline">
        Save it as a new note
      </Link>
    </p>
  );
}
