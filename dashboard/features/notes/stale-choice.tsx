"use client";

import { TriangleAlert } from "lucide-react";
import { Callout } from "@/components/callout";
import { ComparedNotes } from "@/components/compared";
import { Moment } from "@/components/moment";
import { PageHeader } from "@/components/page-header";
import { Button } from "@/components/ui/button";
import { Panel } from "@/components/ui/panel";
import type { NoteDraft } from "@/lib/api";
import type { Note } from "@/lib/types";

/** Shown while the user types: the note is no longer the version this edit started from. */
export function ChangedElsewhere({ note, gone, onCompare }: { note: Note; gone: boolean; onCompare: () => void }) {
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
        <Button small onClick={onCompare}>
          Compare
        </Button>
      }>
      This note was changed elsewhere <Moment at={note.updated_at} />, while you were editing it. Your text is still
      here.
    </Callout>
  );
}

type Props = {
  current: Note;
  draft: NoteDraft;
  saving: boolean;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
  onEdit: () => void;
};

/** A save that was refused because the note had changed: both versions, and three choices. */
export function StaleChoice({ current, draft, saving, onKeepMine, onTakeTheirs, onEdit }: Props) {
  return (
    <>
      <PageHeader
        title="This note changed while you were editing it"
        about={
          <>
            Nothing was overwritten. The file was changed <Moment at={current.updated_at} /> on {current.machine_id}.
          </>
        }
      />
      <Panel title="The saved note and your edit">
        <ComparedNotes before={asText(current)} after={asText(draft)} names={{ before: "Saved", after: "Your edit" }} />
      </Panel>
      <div className="mt-4 flex flex-wrap gap-2">
        <Button look="primary" disabled={saving} onClick={onEdit}>
          Keep editing mine
        </Button>
        <Button disabled={saving} onClick={onKeepMine}>
          Overwrite with mine
        </Button>
        <Button look="danger" disabled={saving} onClick={onTakeTheirs}>
          Discard my edit
        </Button>
      </div>
    </>
  );
}

function asText(note: NoteDraft): string {
  const head = [`title: ${note.title}`, `type: ${note.type}`, `project: ${note.project}`, `scope: ${note.scope}`];
  return `---\n${[...head, `tags: ${note.tags.join(", ")}`].join("\n")}\n---\n${note.body}\n`;
}
