"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import Link from "@/components/link";
import { useState } from "react";
import { DiffView } from "@/components/diff-view";
import { Failure } from "@/components/loaded";
import { Button } from "@/components/ui/button";
import { Field, Textarea } from "@/components/ui/field";
import { Panel } from "@/components/ui/panel";
import { Tabs } from "@/components/ui/tabs";
import { SideBySide } from "@/features/conflicts/side-by-side";
import { api } from "@/lib/api";
import { noteLink } from "@/lib/filter";
import { tell } from "@/lib/notice";
import type { HeldNote } from "@/lib/schemas/fleet";
import { useTellWithUndo } from "@/lib/undo";

type Choice = { choice: "mine" | "theirs" | "both"; text: string | null };

export function HeldCard({ held }: { held: HeldNote }) {
  const queries = useQueryClient();
  const tellWithUndo = useTellWithUndo();
  const [tab, setTab] = useState("sides");
  const [text, setText] = useState(held.mine ?? held.theirs ?? "");
  const resolve = useMutation({
    mutationFn: ({ choice, text: written }: Choice) => api.resolve(held.id, choice, written),
    onSuccess: ({ undo }) => {
      const said = `Settled “${held.title}”. The next sync tells the other machines.`;
      if (undo === null) tell(said);
      else tellWithUndo(said, () => api.restore(held.id, { text: undo }, null));
      void queries.invalidateQueries();
    },
  });
  const choose = (choice: Choice["choice"], written: string | null = null) => resolve.mutate({ choice, text: written });
  const tabs = [
    { value: "sides", label: "Side by side", content: <SideBySide held={held} /> },
    { value: "diff", label: "Differences", content: <DiffView before={held.mine ?? ""} after={held.theirs ?? ""} /> },
    ...(held.private
      ? []
      : [
          {
            value: "edit",
            label: "Edit",
            content: (
              <Field label="The note as it shall be">
                {(ids) => (
                  <Textarea {...ids} value={text} onChange={(event) => setText(event.target.value)} className="min-h-72 font-mono text-[0.82rem]!" />
                )}
              </Field>
            ),
          },
        ]),
  ];
  return (
    <Panel title={held.title}>
      {held.private && (
        <p className="mb-3 text-[0.86rem] text-soft">
          You made this note machine-local here; it was edited on {held.machine || "another machine"}.
        </p>
      )}
      <Tabs label="Views of the conflict" value={tab} onChange={setTab} tabs={tabs} />
      {resolve.error && (
        <div className="mt-3">
          <Failure error={resolve.error} />
        </div>
      )}
      <div className="mt-4 flex flex-wrap items-center gap-2">
        {tab === "edit" ? (
          <Button look="primary" disabled={resolve.isPending} onClick={() => choose("mine", text)}>
            Use this text
          </Button>
        ) : (
          <>
            <Button disabled={resolve.isPending} onClick={() => choose("mine")}>
              {held.private ? "Keep it on this machine only" : "Keep mine"}
            </Button>
            <Button disabled={resolve.isPending} onClick={() => choose("theirs")}>
              {held.private ? "Share it again, with their text" : "Take theirs"}
            </Button>
            {!held.private && (
              <Button disabled={resolve.isPending} onClick={() => choose("both")}>
                Keep both, one after the other
              </Button>
            )}
          </>
        )}
        <Link href={noteLink(held.id)} className="ml-auto text-[0.86rem] text-accent underline">
          Open the note
        </Link>
      </div>
    </Panel>
  );
}
