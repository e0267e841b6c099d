"use client";

import { TriangleAlert } from "lucide-react";
import { Callout } from "@/components/callout";
import { ComparedNotes } from "@/components/compared";
import { Moment } from "@/components/moment";
import { Button } from "@/components/ui/button";
import type { NoteDraft } from "@/lib/api";
import type { Note } from "@/lib/types";

type Props = { note: Note; draft: NoteDraft; gone: boolean; onKeep: () => void; onDiscard: () => void };

/** The note is no longer the version that this edit started from: both texts, and which of them to continue with. */
export function ChangedElsewhere({ note, draft, gone, onKeep, onDiscard }: Props) {
  if (gone) {
    return (
      <Callout icon={<TriangleAlert aria-hidden />}>
        This note was deleted while you were editing it. Your text is still here; you can save it as a new note.
      </Callout>
    );
  }
  return (
    <Callout
      icon={<TriangleAlert aria-hidden />}
      action={
        <span className="flex gap-2">
          <Button small onClick={onKeep}>
            Keep editing mine
          </Button>
          <Button small look="danger" onClick={onDiscard}>
            Discard my edit
          </Button>
        </span>
      }>
      This note was changed elsewhere <Moment at={note.updated_at} />, while you were editing it. Your text is still
      here.
      <details className="mt-1">
        <summary className="text-accent underline">Compare</summary>
        <ComparedNotes before={asText(note)} after={asText(draft)} names={{ before: "Saved", after: "Your edit" }} />
      </details>
    </Callout>
  );
}

function asText(note: NoteDraft): string {
  const head = [`title: ${note.title}`, `type: ${note.type}`, `project: ${note.project}`, `scope: ${note.scope}`];
  return `---\n${[...head, `tags: ${note.tags.join(", ")}`].join("\n")}\n---\n${note.body}\n`;
}
