"use client";

import { Gavel, VolumeX } from "lucide-react";
import { useState } from "react";
import Link from "@/components/link";
import { Title } from "@/components/title";
import { Button } from "@/components/ui/button";
import { Card } from "@/features/inbox/card";
import { DeleteNote } from "@/features/notes/delete-note";
import { useAct } from "@/lib/act";
import { api } from "@/lib/api";
import { noteLink } from "@/lib/filter";
import { dayName, plural } from "@/lib/format";
import { useShortcuts } from "@/lib/keys";
import type { Inbox } from "@/lib/types";

/** A rule that the user stated in a session: every later session is told it until it is dropped. */
export function RuleCard({ rule, active }: { rule: Inbox["rules"][number]; active: boolean }) {
  const settle = useAct((keep: boolean) => api.settleRule(rule.note_id, rule.line, keep), {
    say: (answer) => (answer.written ? "Kept as a rule of its own." : "Dropped."),
    undo: (answer) => async () => {
      if (answer.written) await api.remove(answer.written, null);
      await api.restore(rule.note_id, { text: answer.undo }, null);
    },
  });
  useShortcuts(
    "In the inbox",
    active
      ? {
          y: { does: "Keep", run: () => settle.mutate(true) },
          d: { does: "Drop or delete", run: () => settle.mutate(false) },
        }
      : {},
  );
  return (
    <Card
      icon={Gavel}
      kind={rule.model ? "Rule that Claude noted" : "Rule that a session stated"}
      active={active}
      title={`“${rule.line}”`}
      about={
        <>
          In{" "}
          <Link href={noteLink(rule.note_id)} className="text-accent underline">
            {rule.model ? "a note" : "a session"}
          </Link>{" "}
          of {rule.project}, {dayName(rule.day)}. Claude is told it in every session there.
        </>
      }
      actions={
        <>
          <Button small look="primary" disabled={settle.isPending} onClick={() => settle.mutate(true)}>
            Keep
          </Button>
          <Button small look="danger" disabled={settle.isPending} onClick={() => settle.mutate(false)}>
            Drop
          </Button>
        </>
      }
    />
  );
}

/** A note that many sessions were told and none used. */
export function UnusedCard({ note, active }: { note: Inbox["unused"][number]; active: boolean }) {
  const [deleting, setDeleting] = useState(false);
  const quieten = useAct(() => api.changeNotes([note.id], "tag", "reference"), {
    say: "Not told any more; a search still finds it.",
    undo:
      ({ undo }) =>
      () =>
        api.restore(note.id, { text: undo[note.id] }, null),
  });
  useShortcuts(
    "In the inbox",
    active
      ? {
          y: { does: "Stop telling", run: () => quieten.mutate(undefined) },
          d: { does: "Drop or delete", run: () => setDeleting(true) },
        }
      : {},
  );
  return (
    <Card
      icon={VolumeX}
      kind="Told often, never used"
      active={active}
      title={
        <Link href={noteLink(note.id)} className="hover:underline">
          <Title text={note.title} />
        </Link>
      }
      about={`${plural(note.told, "session")} in ${note.project} ${note.told === 1 ? "was" : "were"} told it, and none used it.`}
      actions={
        <>
          <Button small disabled={quieten.isPending} onClick={() => quieten.mutate(undefined)}>
            Stop telling
          </Button>
          <Button small look="danger" onClick={() => setDeleting(true)}>
            Delete
          </Button>
          {deleting && <DeleteNote note={note} onClose={() => setDeleting(false)} onDeleted={() => undefined} />}
        </>
      }
    />
  );
}
