"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { RefreshCw, Wrench } from "lucide-react";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { Button } from "@/components/ui/button";
import { CheckRow, PendingCheck } from "@/features/doctor/check-row";
import { api } from "@/lib/api";
import { count, plural } from "@/lib/format";
import { tell } from "@/lib/notice";
import { useDoctor, useSlowChecks } from "@/lib/queries";
import type { Check } from "@/lib/schemas/health";

/** Every check with its evidence and what to do. */
export function DoctorPage() {
  const queries = useQueryClient();
  const query = useDoctor();
  const slow = query.data?.slow ?? [];
  const looked = useSlowChecks(slow);
  const checks = [...(query.data?.checks ?? []), ...looked.flatMap((one) => (one.data ? [one.data.check] : []))];
  const waiting = slow.filter((_, place) => !looked[place]?.data);
  const fix = useMutation({
    mutationFn: api.fix,
    onSuccess: (answer) => {
      queries.setQueryData(["doctor"], answer);
      tell(answer.fixed.join(" ") || "Nothing could be repaired automatically.");
    },
    onError: (error) => tell(error.message, true),
  });
  const reindex = useMutation({
    mutationFn: api.reindex,
    onSuccess: (answer) => {
      tell(`The index was rebuilt: ${plural(answer.indexed, "note")}.`);
      void queries.invalidateQueries();
    },
    onError: (error) => tell(error.message, true),
  });
  return (
    <>
      <PageHeader title="Doctor" about={query.data && verdict(checks, waiting.length)}>
        <Button disabled={reindex.isPending} onClick={() => reindex.mutate()}>
          <RefreshCw aria-hidden className={reindex.isPending ? "animate-spin" : ""} /> Rebuild the index
        </Button>
        {checks.some((check) => check.fixable) && (
          <Button look="primary" disabled={fix.isPending} onClick={() => fix.mutate()}>
            <Wrench aria-hidden /> Repair automatically
          </Button>
        )}
      </PageHeader>
      <Loaded query={query}>
        {() => (
          <ul className="overflow-hidden rounded-lg border border-line bg-panel">
            {worstFirst(checks).map((check) => (
              <CheckRow key={check.name} check={check} />
            ))}
            {waiting.map((name) => (
              <PendingCheck key={name} name={name} error={looked[slow.indexOf(name)]?.error ?? null} />
            ))}
          </ul>
        )}
      </Loaded>
    </>
  );
}

function verdict(checks: Check[], waiting: number): string {
  const wrong = checks.filter((check) => check.state !== "ok").length;
  const running = waiting ? ` ${plural(waiting, "check")} still running.` : "";
  if (wrong) return `${count(wrong)} of ${plural(checks.length, "check")} ${wrong === 1 ? "needs" : "need"} attention.${running}`;
  return waiting ? `${plural(checks.length, "check")} passed so far.${running}` : `All ${plural(checks.length, "check")} passed.`;
}

const ORDER = { bad: 0, warn: 1, ok: 2 };

function worstFirst(checks: Check[]): Check[] {
  return checks.toSorted((one, other) => ORDER[one.state] - ORDER[other.state]);
}
