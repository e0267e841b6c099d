"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "@/components/link";
import { Empty } from "@/components/empty";
import { Loaded } from "@/components/loaded";
import { Moment } from "@/components/moment";
import { PageHeader } from "@/components/page-header";
import { Panel } from "@/components/ui/panel";
import { TypeBar } from "@/features/fleet/type-bar";
import { SyncPanel } from "@/features/sync/sync-panel";
import { api } from "@/lib/api";
import { browseLink, noteLink } from "@/lib/filter";
import { plural } from "@/lib/format";
import type { SyncedMachine } from "@/lib/schemas/fleet";

function useMachines() {
  return useQuery({ queryKey: ["machines"], queryFn: api.machines });
}

/** Who wrote what, and how far this machine is from the others. */
export function Machines() {
  return (
    <>
      <PageHeader title="Machines" about="Who wrote what, and how this machine stands to the others." />
      <Loaded query={useMachines()}>
        {(data) => (
          <div className="space-y-5">
            <SyncPanel sync={data.sync} />
            {data.machines.length === 0 ? (
              <Empty title="No machine has written a note yet." />
            ) : (
              <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
                {data.machines.map((machine) => (
                  <li key={machine.machine_id}>
                    <MachineCard machine={machine} />
                  </li>
                ))}
              </ul>
            )}
          </div>
        )}
      </Loaded>
    </>
  );
}

function MachineCard({ machine }: { machine: SyncedMachine }) {
  const { machine_id, here, total, last_note, last_commit } = machine;
  return (
    <Panel className="h-full">
      <h2 className="flex items-baseline justify-between gap-3 font-serif text-xl font-medium">
        <Link href={browseLink({ machine: machine_id })} className="hover:underline">
          {machine_id}
        </Link>
        {here && <span className="font-sans text-[0.78rem] font-medium text-accent">this machine</span>}
      </h2>
      <p className="mb-3 text-[0.86rem] text-faint">
        {plural(total, "note")}, {last_commit ? <>last sync <Moment at={last_commit} /></> : "never synced"}
      </p>
      <TypeBar counts={machine.by_type} />
      <p className="mt-3 text-[0.86rem]">
        <span className="text-faint">Learned last, </span>
        <Moment at={last_note.updated_at} className="text-faint" />
        <Link href={noteLink(last_note.id)} className="mt-0.5 block hover:underline">
          {last_note.title}
        </Link>
      </p>
    </Panel>
  );
}
