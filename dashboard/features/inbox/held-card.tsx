"use client";

import { GitMerge } from "lucide-react";
import { useState } from "react";
import { ComparedNotes } from "@/components/compared";
import { Failure } from "@/components/loaded";
import { Moment } from "@/components/moment";
import { Title } from "@/components/title";
import { Field, Textarea } from "@/components/ui/field";
import { Acts, Card, type Act, type Place } from "@/features/inbox/card";
import { useAct } from "@/lib/act";
import { api } from "@/lib/api";
import { noteLink } from "@/lib/filter";
import { useTyped } from "@/lib/typed";
import type { HeldNote } from "@/lib/types";

type Resolution = { choice: string; text: string | null };

/** One held note: what clashes, ways to resolve it, and an editor. Undo brings the conflict back. */
export function HeldCard({ held, place }: { held: HeldNote; place: Place }) {
  const resolve = useAct(({ choice, text }: Resolution) => api.resolve(held.id, choice, text), {
    quiet: true,
    say: `Resolved “${held.title}”. The next sync updates the other machines.`,
    canUndo: ({ undo }) => undo,
    undo: () => api.unresolve(held.id),
  });
  const typed = useTyped(`conflict/${held.id}`, { title: held.title, text: held.mine ?? held.theirs ?? "" });
  const [editing, setEditing] = useState(typed.changed);
  const busy = resolve.isPending;
  const ways = waysOf(held).map((way): Act => ({
    ...way,
    busy,
    run: () => resolve.mutate({ choice: way.choice, text: null }),
  }));
  const editor: Act[] = [
    {
      label: "Use this text",
      look: "primary",
      busy,
      run: () => resolve.mutate({ choice: "mine", text: typed.fields.text }, { onSuccess: typed.saved }),
    },
    {
      label: "Start from theirs",
      busy: busy || held.theirs === null,
      run: () => typed.set({ text: held.theirs ?? "" }),
    },
    { label: "Discard my text", busy: busy || !typed.changed, run: typed.discard },
    { label: "Close the editor", run: () => setEditing(false) },
  ];
  return (
    <Card
      place={place}
      icon={GitMerge}
      kind="Conflict"
      title={<Title text={held.title || held.path} />}
      about={<Story held={held} />}
      acts={[{ label: "Open the note", look: "quiet", href: noteLink(held.id) }]}>
      <div className="space-y-3">
        <Clash held={held} />
        {resolve.error && <Failure error={resolve.error} />}
        {editing && (
          <Field label="The text to keep, with its front matter">
            <Textarea
              value={typed.fields.text}
              onChange={(event) => typed.set({ text: event.target.value })}
              className="min-h-72"
            />
          </Field>
        )}
        {editing ? (
          <Acts acts={editor} active={false} />
        ) : (
          <Acts
            active={place.active}
            acts={held.private ? ways : [...ways, { label: "Edit by hand", busy, run: () => setEditing(true) }]}
          />
        )}
      </div>
    </Card>
  );
}

function Clash({ held }: { held: HeldNote }) {
  if (held.mine === null || held.theirs === null)
    return <p className="text-sm text-soft">One side deleted it, the other changed it.</p>;
  const names = { before: "Mine, on this machine", after: `Theirs, on ${held.machine || "another machine"}` };
  return <ComparedNotes before={held.mine} after={held.theirs} names={names} look="clash" />;
}

function Story({ held }: { held: HeldNote }) {
  return (
    <>
      {held.machine || "Another machine"} {held.theirs === null ? "deleted it" : "changed the same lines"}{" "}
      {held.moment && <Moment at={held.moment} />};{" "}
      {held.private
        ? "here it was made machine-local"
        : held.mine === null
          ? "here it was deleted"
          : "here it was changed"}{" "}
      {held.written && <Moment at={held.written} />}. Nothing else waits for it.
    </>
  );
}

type Way = { choice: "mine" | "theirs" | "both"; key?: string; label: string };

function waysOf(held: HeldNote): Way[] {
  const named = (mine: string, theirs: string): Way[] => [
    { choice: "mine", key: "m", label: mine },
    { choice: "theirs", key: "t", label: theirs },
  ];
  if (held.private) return named("Keep it on this machine only", "Share it again, with their text");
  if (held.mine === null) return named("Keep it deleted", "Take theirs");
  if (held.theirs === null) return named("Keep mine", "Delete it here too");
  return [...named("Keep mine", "Take theirs"), { choice: "both", label: "Keep both in one note" }];
}
