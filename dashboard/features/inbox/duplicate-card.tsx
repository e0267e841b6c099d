"use client";

import { Copy } from "lucide-react";
import { ComparedTexts } from "@/components/compared";
import Link from "@/components/link";
import { Title } from "@/components/title";
import { Button } from "@/components/ui/button";
import { Card } from "@/features/inbox/card";
import { useAct } from "@/lib/act";
import { api } from "@/lib/api";
import { noteLink } from "@/lib/filter";
import { ago, plural } from "@/lib/format";
import { useShortcuts } from "@/lib/keys";
import type { Group } from "@/lib/types";

/** Notes that seem to say the same: what differs, and one button that merges them. */
export function DuplicateCard({ group, active }: { group: Group; active: boolean }) {
  const [first, second] = group.notes;
  const merge = useAct(() => api.merge(group.notes.map((note) => note.id)), {
    say: (note) => `Merged ${plural(group.notes.length, "note")} into “${note.title}”.`,
    undo: (note) => () => api.remove(note.id, null),
  });
  useShortcuts("In the inbox", active ? { y: { does: "Merge", run: () => merge.mutate(undefined) } } : {});
  return (
    <Card
      icon={Copy}
      kind={`${plural(group.notes.length, "note")} that seem to say the same`}
      active={active}
      title={<Title text={group.title} />}
      about={group.notes.map((note, place) => (
        <span key={note.id}>
          {place > 0 && " · "}
          <Link href={noteLink(note.id)} className="text-accent underline">
            <Title text={note.title} />
          </Link>{" "}
          {ago(note.updated_at)} on {note.machine_id}
        </span>
      ))}
      actions={
        <Button small look="primary" disabled={merge.isPending} onClick={() => merge.mutate(undefined)}>
          Merge into one
        </Button>
      }>
      {first && second && (
        <ComparedTexts
          before={first.body}
          after={second.body}
          names={{ before: first.title, after: second.title }}
          look="clash"
        />
      )}
    </Card>
  );
}
