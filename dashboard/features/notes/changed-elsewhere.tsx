import { TriangleAlert } from "lucide-react";
import { Callout } from "@/components/callout";
import { Moment } from "@/components/moment";
import { Button } from "@/components/ui/button";
import type { Note } from "@/lib/schemas/note";

type Props = { note: Note; gone: boolean; onCompare: () => void };

/** Shown while the user types: the note is no longer the version this edit started from. */
export function ChangedElsewhere({ note, gone, onCompare }: Props) {
  if (gone) {
    return (
      <Callout icon={<TriangleAlert aria-hidden />}>
        This note was deleted while you were editing it. Your text is still here; you can save it as a new note.
      </Callout>
    );
  }
  return (
    <Callout icon={<TriangleAlert aria-hidden />} action={<Button small onClick={onCompare}>Compare</Button>}>
      This note was changed elsewhere <Moment at={note.updated_at} />, while you were editing it. Your text is still here.
    </Callout>
  );
}
