"use client";

import { GitMerge } from "lucide-react";
import { useState } from "react";
import { ComparedNotes } from "@/components/compared";
import Link from "@/components/link";
import { Failure } from "@/components/loaded";
import { Moment } from "@/components/moment";
import { Title } from "@/components/title";
import { Button, buttonClass } from "@/components/ui/button";
import { Field, Textarea } from "@/components/ui/field";
import { Card } from "@/features/inbox/card";
import { useAct } from "@/lib/act";
import { api } from "@/lib/api";
import { noteLink } from "@/lib/filter";
import { useShortcuts } from "@/lib/keys";
import { useTyped } from "@/lib/typed";
import type { HeldNote } from "@/lib/types";

type Resolution = { choice: string; text: string | null };

/** One held note: what clashes, four ways to resolve it, and an editor. Undo brings the conflict back. */
export function HeldCard({ held, active }: { held: HeldNote; active: boolean }) {
  const resolve = useAct(({ choice, text }: Resolution) => api.resolve(held.id, choice, text), {
    quiet: true,
    say: `Resolved “${held.title}”. The next sync updates the other machines.`,
    undo: ({ undo }) => (undo ? () => api.unresolve(held.id) : null),
  });
  const typed = useTyped(`conflict/${held.id}`, { title: held.title, text: held.mine ?? held.theirs ?? "" });
  const [editing, setEditing] = useState(typed.changed);
  const busy = resolve.isPending;
  const choose = (choice: string) => resolve.mutate({ choice, text: null });
  useShortcuts(
    "In the inbox",
    active
      ? { m: { does: "Keep mine", run: () => choose("mine") }, t: { does: "Take theirs", run: () => choose("theirs") } }
      : {},
  );
  return (
    <Card
      icon={GitMerge}
      kind="Conflict"
      active={active}
      title={<Title text={held.title || held.path} />}
      about={<Story held={held} />}
      actions={
        <Link href={noteLink(held.id)} className={buttonClass({ small: true, look: "quiet" })}>
          Open the note
        </Link>
      }>
      <Clash held={held} />
      {resolve.error && (
        <div className="mt-3">
          <Failure error={resolve.error} />
        </div>
      )}
      {editing ? (
        <div className="mt-4 space-y-3">
          <Field label="The text to keep, with its front matter">
            {(ids) => (
              <Textarea
                {...ids}
                dir="auto"
                value={typed.fields.text}
                onChange={(event) => typed.set({ text: event.target.value })}
                className="min-h-72 font-mono text-sm!"
              />
            )}
          </Field>
          <div className="flex flex-wrap gap-2">
            <Button
              look="primary"
              disabled={busy}
              onClick={() => resolve.mutate({ choice: "mine", text: typed.fields.text }, { onSuccess: typed.saved })}>
              Use this text
            </Button>
            {held.theirs !== null && (
              <Button disabled={busy} onClick={() => typed.set({ text: held.theirs ?? "" })}>
                Start from theirs
              </Button>
            )}
            {typed.changed && (
              <Button disabled={busy} onClick={typed.discard}>
                Discard my text
              </Button>
            )}
            <Button onClick={() => setEditing(false)}>Close the editor</Button>
          </div>
        </div>
      ) : (
        <div className="mt-4 flex flex-wrap items-center gap-2">
          {waysOf(held).map(({ choice, label }) => (
            <Button key={choice} disabled={busy} onClick={() => choose(choice)}>
              {label}
            </Button>
          ))}
          {!held.private && (
            <Button disabled={busy} onClick={() => setEditing(true)}>
              Edit by hand
            </Button>
          )}
        </div>
      )}
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

type Way = { choice: "mine" | "theirs" | "both"; label: string };

function waysOf(held: HeldNote): Way[] {
  if (held.private) {
    return [
      { choice: "mine", label: "Keep it on this machine only" },
      { choice: "theirs", label: "Share it again, with their text" },
    ];
  }
  const one: Way[] = [
    { choice: "mine", label: held.mine === null ? "Keep it deleted" : "Keep mine" },
    { choice: "theirs", label: held.theirs === null ? "Delete it here too" : "Take theirs" },
  ];
  if (held.mine === null || held.theirs === null) return one;
  return [...one, { choice: "both", label: "Keep both in one note" }];
}
