"use client";

import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { MachineCard } from "@/features/fleet/machine-card";
import { useMachines } from "@/features/fleet/use-machines";
import { SyncPanel } from "@/features/sync/sync-panel";

/** Who learned what, who was seen when, and how far this machine is from the others. */
export function Machines() {
  return (
    <>
      <PageHeader title="Machines" about="Who committed what, when each machine was last seen, and what it may not have yet." />
      <Loaded query={useMachines()}>
        {(data) => (
          <div className="space-y-5">
            <SyncPanel sync={data.sync} />
            <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
              {data.machines.map((machine) => (
                <li key={machine.machine_id}>
                  <MachineCard machine={machine} sync={data.sync} />
                </li>
              ))}
            </ul>
          </div>
        )}
      </Loaded>
    </>
  );
}
