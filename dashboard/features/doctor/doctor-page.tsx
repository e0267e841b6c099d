"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { RefreshCw, Wrench } from "lucide-react";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { Button } from "@/components/ui/button";
import { CheckRow } from "@/features/doctor/check-row";
import { api } from "@/lib/api";
import { plural } from "@/lib/format";
import { tell } from "@/lib/notice";
import type { Check } from "@/lib/schemas/health";

/** Every check with what it saw and what to do. */
export function DoctorPage() {
  const queries = useQueryClient();
  const query = useQuery({ queryKey: ["doctor"], queryFn: api.doctor });
  const fix = useMutation({
    mutationFn: api.fix,
    onSuccess: (answer) => {
      queries.setQueryData(["doctor"], answer);
      tell(answer.fixed.join(" ") || "Nothing could be repaired without you.");
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
      <PageHeader title="Doctor" about={query.data && verdict(query.data.checks)}>
        <Button disabled={reindex.isPending} onClick={() => reindex.mutate()}>
          <RefreshCw aria-hidden className={reindex.isPending ? "animate-spin" : ""} /> Rebuild the index
        </Button>
        {query.data?.checks.some((check) => check.fixable) && (
          <Button look="primary" disabled={fix.isPending} onClick={() => fix.mutate()}>
            <Wrench aria-hidden /> Repair what can be
          </Button>
        )}
      </PageHeader>
      <Loaded query={query}>
        {(data) => (
          <ul className="overflow-hidden rounded-lg border border-line bg-panel">
            {worstFirst(data.checks).map((check) => (
              <CheckRow key={check.name} check={check} />
            ))}
          </ul>
        )}
      </Loaded>
    </>
  );
}

function verdict(checks: Check[]): string {
  const wrong = checks.filter((check) => check.state !== "ok").length;
  return wrong ? `${plural(wrong, "thing")} to look at, out of ${plural(checks.length, "check")}.` : `All ${plural(checks.length, "check")} are fine.`;
}

const ORDER = { bad: 0, warn: 1, ok: 2 };

function worstFirst(checks: Check[]): Check[] {
  return checks.toSorted((one, other) => ORDER[one.state] - ORDER[other.state]);
}
