"use client";

import { useQuery } from "@tanstack/react-query";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { MachineCard } from "@/features/fleet/machine-card";
import { agreement } from "@/features/fleet/standing";
import { ask } from "@/lib/api";

/** Which machines have the same notes, are behind, or have silent hooks. */
export function Machines() {
  const query = useQuery(ask.machines());
  return (
    <>
      <PageHeader title="Machines" about={query.data && agreement(query.data.machines)} />
      <Loaded query={query}>
        {(data) => (
          <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
            {data.machines.map((machine) => (
              <li key={machine.name}>
                <MachineCard machine={machine} {...data} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </>
  );
}
