"use client";

import clsx from "clsx";
import { TriangleAlert } from "lucide-react";
import { useState } from "react";
import { Fact, Facts } from "@/components/facts";
import Link from "@/components/link";
import { Moment } from "@/components/moment";
import { Prose } from "@/components/prose";
import { Button } from "@/components/ui/button";
import { Panel } from "@/components/ui/panel";
import { ForgetMachine } from "@/features/fleet/forget-machine";
import { standingOf } from "@/features/fleet/standing";
import { COLOURS } from "@/features/sync/sync-summary";
import { activityLink } from "@/lib/filter";
import type { Machine, SyncState } from "@/lib/types";

/** One machine: whether it has the same notes, and what it last reported. */
export function MachineCard({ machine, machines, sync }: { machine: Machine; machines: Machine[]; sync: SyncState }) {
  const [forgetting, setForgetting] = useState(false);
  const { name, here } = machine;
  const standing = standingOf(machine, machines, sync);
  return (
    <Panel className="h-full">
      <div className="flex items-baseline justify-between gap-3">
        <h2 className="min-w-0 font-serif text-lg font-medium break-words">{name}</h2>
        {here ? (
          <span className="text-xs font-medium text-accent">this machine</span>
        ) : (
          <Button small look="quiet" aria-label={`Forget ${name}`} onClick={() => setForgetting(true)}>
            Forget
          </Button>
        )}
      </div>
      <p className={clsx("text-sm", COLOURS[standing.state])}>{standing.short}</p>
      <Report machine={machine} sync={sync} />
      <Remarks remarks={here && sync.failure ? [sync.failure, ...machine.remarks] : machine.remarks} />
      <p className="mt-3 text-sm">
        <Link href={activityLink({ machine: name })} className="text-accent underline">
          All it did
        </Link>
      </p>
      {forgetting && <ForgetMachine name={name} onClose={() => setForgetting(false)} />}
    </Panel>
  );
}

/** Its last report; Health knows more about this machine, so only its sync is shown. */
function Report({ machine, sync }: { machine: Machine; sync: SyncState }) {
  const times: [string, string | null][] = machine.here
    ? [["Last sync", sync.last_sync]]
    : [
        ["Last report", machine.heard],
        ["Last sync", machine.last_sync],
        ["Hooks last ran", machine.last_inject],
        ["Last capture", machine.last_capture],
      ];
  return (
    <Facts className="mt-3">
      {times.map(([name, at]) => (
        <Fact key={name} name={name}>
          {at ? <Moment at={at} /> : "never"}
        </Fact>
      ))}
      {machine.here && (
        <Fact name="Remote">
          {sync.remote ? <code className="font-mono text-xs">{sync.remote}</code> : "none yet"}{" "}
          <Link href="/settings/?view=settings#remote" className="text-accent underline">
            {sync.remote ? "change" : "choose one"}
          </Link>
        </Fact>
      )}
    </Facts>
  );
}

function Remarks({ remarks }: { remarks: string[] }) {
  if (remarks.length === 0) return null;
  return (
    <ul className="mt-3 space-y-1 text-sm">
      {remarks.map((remark) => (
        <li key={remark} className="flex gap-2">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
          <span>
            <Prose text={remark} />
          </span>
        </li>
      ))}
    </ul>
  );
}
