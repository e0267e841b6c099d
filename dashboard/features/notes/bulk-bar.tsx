"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { BULK_ACTS, BulkDialog, type BulkAct } from "@/features/notes/bulk-dialog";
import type { Selection } from "@/components/list";
import { ask } from "@/lib/api";
import type { Filter } from "@/lib/filter";
import { count, plural } from "@/lib/format";
import { tell } from "@/lib/notice";

const NAMES = Object.entries(BULK_ACTS) as [BulkAct, { name: string }][];

/** Actions for all selected notes; shown while any are selected. */
export function BulkBar({ filter, total, selection }: { filter: Filter; total: number; selection: Selection }) {
  const queries = useQueryClient();
  const [act, setAct] = useState<BulkAct | null>(null);
  const all = useMutation({
    mutationFn: () => queries.fetchQuery(ask.selection(filter)),
    onSuccess: ({ ids }) => selection.take(ids),
    onError: (error) => tell(error.message, true),
  });
  const chosen = selection.ids.size;
  if (chosen === 0) return null;
  return (
    <div
      role="region"
      aria-label="Selected notes"
      className="sticky bottom-16 z-10 mt-4 flex flex-wrap items-center gap-2 rounded-lg border border-accent bg-panel px-3 py-2 shadow-lg md:bottom-4">
      <span role="status" className="text-sm font-medium">
        {plural(chosen, "note")} selected
      </span>
      {chosen < total && (
        <Button small look="quiet" act={all}>
          Select all {filter.q ? "" : count(total)} that match
        </Button>
      )}
      <span className="ml-auto flex flex-wrap gap-1.5">
        {NAMES.map(([each, { name }]) => (
          <Button key={each} small look={each === "delete" ? "danger" : "plain"} onClick={() => setAct(each)}>
            {name}
          </Button>
        ))}
        <Button small look="quiet" aria-label="Clear selection" onClick={selection.clear}>
          <X aria-hidden />
        </Button>
      </span>
      {act && <BulkDialog act={act} selection={selection} onClose={() => setAct(null)} />}
    </div>
  );
}
