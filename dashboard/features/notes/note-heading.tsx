"use client";

import { History, Pencil, Replace, Trash2 } from "lucide-react";
import Link from "@/components/link";
import { Moment } from "@/components/moment";
import { PageTitle } from "@/components/page-header";
import { Title } from "@/components/title";
import { TypeMark } from "@/components/type-mark";
import { Button } from "@/components/ui/button";
import { DeleteNote } from "@/features/notes/delete-note";
import type { NoteView } from "@/features/notes/note-page";
import { projectLink } from "@/lib/filter";
import { useGo } from "@/lib/go";
import type { Note } from "@/lib/types";

type Props = { note: Note; view: NoteView; show: (view: NoteView) => void };

export function NoteHeading({ note, view, show }: Props) {
  const router = useGo();
  return (
    <header className="mb-6 border-b border-line pb-4">
      <div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-faint">
        <TypeMark type={note.type} named />
        <Link href={projectLink(note.project)} className="hover:text-ink hover:underline">
          {note.project}
        </Link>
        <span>
          <Moment at={note.updated_at} /> on {note.machine_id}
        </span>
      </div>
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0 flex-[1_1_20rem]">
          <PageTitle>
            <Title text={note.title} />
          </PageTitle>
        </div>
        <div className="flex flex-wrap gap-2">
          <Button aria-pressed={view === "history"} onClick={() => show(view === "history" ? "read" : "history")}>
            <History aria-hidden /> {view === "history" ? "Read" : "Versions"}
          </Button>
          <Button onClick={() => show("edit")}>
            <Pencil aria-hidden /> Edit
          </Button>
          <Button onClick={() => show("supersede")}>
            <Replace aria-hidden /> Supersede
          </Button>
          <Button look="danger" aria-label="Delete" title="Delete" onClick={() => show("delete")}>
            <Trash2 aria-hidden />
          </Button>
        </div>
      </div>
      {view === "delete" && (
        <DeleteNote note={note} onClose={() => show("read")} onDeleted={() => router.push("/notes/")} />
      )}
    </header>
  );
}
