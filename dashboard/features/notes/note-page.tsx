"use client";

import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { useEffect } from "react";
import { Empty } from "@/components/empty";
import { Loaded } from "@/components/loaded";
import { DeletedNote } from "@/features/notes/deleted-note";
import { NoteHistoryView } from "@/features/notes/note-history";
import { NoteAside } from "@/features/notes/note-aside";
import { NoteBody } from "@/features/notes/note-body";
import { NoteEditor } from "@/features/notes/note-editor";
import { NoteHeading } from "@/features/notes/note-heading";
import { Supersede } from "@/features/notes/supersede";
import { ask } from "@/lib/api";
import { noteLink } from "@/lib/filter";
import { useGo } from "@/lib/go";
import { isMissing } from "@/lib/http";
import { useShortcuts } from "@/lib/keys";
import type { Note } from "@/lib/types";

const VIEWS = ["read", "history", "edit", "supersede", "delete"] as const;
export type NoteView = (typeof VIEWS)[number];

/** One note: read, edited, replaced, or followed through its versions. */
export function NotePage() {
  const asked = useSearchParams();
  const id = asked.get("id") ?? "";
  const query = useQuery(ask.note(id));
  if (!id)
    return (
      <Empty page title="No note selected.">
        Open one from Notes, or press / to search.
      </Empty>
    );
  const view = readView(asked.get("view"));
  const gone = isMissing(query.error);
  // If a note is deleted while it is being edited, the form must stay.
  const typing = query.data && (view === "edit" || view === "supersede");
  if (gone && !typing) return <DeletedNote id={id} />;
  return <Loaded query={query}>{(note) => <OpenNote key={id} note={note} gone={gone} view={view} />}</Loaded>;
}

function OpenNote({ note, gone, view }: { note: Note; gone: boolean; view: NoteView }) {
  const router = useGo();
  const show = (next: NoteView) => router.push(noteLink(note.id, next === "read" ? "" : next), { scroll: false });
  useTabTitle(note.title);
  useShortcuts(
    "On a note",
    view === "read" || view === "history"
      ? {
          e: { does: "Edit", run: () => show("edit") },
          v: { does: "Versions", run: () => show(view === "history" ? "read" : "history") },
          s: { does: "Supersede", run: () => show("supersede") },
          "#": { does: "Delete", run: () => show("delete") },
        }
      : {},
  );
  if (view === "edit") return <NoteEditor note={note} gone={gone} onDone={(id) => router.push(noteLink(id))} />;
  if (view === "supersede") return <Supersede note={note} onCancel={() => show("read")} />;
  return (
    <>
      <NoteHeading note={note} view={view} show={show} />
      {view === "history" ? <NoteHistoryView note={note} /> : <ReadNote note={note} />}
    </>
  );
}

function ReadNote({ note }: { note: Note }) {
  const { data: links } = useQuery(ask.links(note.id));
  return (
    <div className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_15rem]">
      <NoteBody note={note} links={links} />
      <NoteAside note={note} links={links} />
    </div>
  );
}

function readView(asked: string | null): NoteView {
  return VIEWS.find((view) => view === asked) ?? "read";
}

/** Name the browser's tab after what is open in it. */
function useTabTitle(title: string): void {
  useEffect(() => {
    document.title = `${title.replaceAll("`", "") || "Untitled"} · Anamnesis`;
  }, [title]);
}
