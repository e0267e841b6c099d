"use client";

import { useState } from "react";
import Link from "@/components/link";
import { Failure } from "@/components/loaded";
import { Button } from "@/components/ui/button";
import { Panel } from "@/components/ui/panel";
import { Clash } from "@/features/conflicts/clash";
import { HeldEditor } from "@/features/conflicts/held-editor";
import { useResolve } from "@/features/conflicts/use-resolve";
import { noteLink } from "@/lib/filter";
import type { HeldNote } from "@/lib/schemas/fleet";
import { useTyped } from "@/lib/typed";

/** One held note: what clashes, four ways to resolve it, and an editor. */
export function HeldCard({ held }: { held: HeldNote }) {
  const resolve = useResolve(held);
  const typed = useTyped(`conflict/${held.id}`, { title: held.title, text: held.mine ?? held.theirs ?? "" });
  const [editing, setEditing] = useState(typed.changed);
  const busy = resolve.isPending;
  const action = (
    <Link href={noteLink(held.id)} className="text-sm text-accent underline">
      Open the note
    </Link>
  );
  return (
    <Panel title={held.title || held.path} action={action}>
      <Clash held={held} />
      {resolve.error && (
        <div className="mt-3">
          <Failure error={resolve.error} />
        </div>
      )}
      {editing ? (
        <HeldEditor
          held={held}
          typed={typed}
          busy={busy}
          onSave={() => resolve.mutate({ choice: "mine", text: typed.fields.text }, { onSuccess: typed.saved })}
          onClose={() => setEditing(false)}
        />
      ) : (
        <div className="mt-4 flex flex-wrap items-center gap-2">
          {waysOf(held).map(({ choice, label }) => (
            <Button key={choice} disabled={busy} onClick={() => resolve.mutate({ choice, text: null })}>
              {label}
            </Button>
          ))}
          {!held.private && held.is_text && (
            <Button disabled={busy} onClick={() => setEditing(true)}>
              Edit by hand
            </Button>
          )}
        </div>
      )}
    </Panel>
  );
}

type Way = { choice: "mine" | "theirs" | "both" | "two"; label: string };

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
  if (!held.is_text || held.mine === null || held.theirs === null) return one;
  return [
    ...one,
    { choice: "both", label: "Keep both in one note" },
    { choice: "two", label: "Keep both as two notes" },
  ];
}
