"use client";

import { TypeMark } from "@/components/type-mark";
import { Select } from "@/components/ui/field";
import type { MapFilter } from "@/features/map/graph";
import type { StoreMap } from "@/lib/schemas/map";
import { noteType } from "@/lib/schemas/note";

type Props = { map: StoreMap; filter: MapFilter; onChange: (filter: MapFilter) => void };

export function MapFilters({ map, filter, onChange }: Props) {
  const projects = [...new Set(map.nodes.map((note) => note.project))].sort();
  const set = (change: Partial<MapFilter>) => onChange({ ...filter, ...change });
  return (
    <div role="group" aria-label="Filters" className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
      <Select aria-label="Project" value={filter.project} onChange={(event) => set({ project: event.target.value })} className="h-8! w-auto! max-w-60">
        <option value="">All projects</option>
        {projects.map((project) => (
          <option key={project}>{project}</option>
        ))}
      </Select>
      <Select aria-label="Type" value={filter.type} onChange={(event) => set({ type: event.target.value })} className="h-8! w-auto!">
        <option value="">All types</option>
        {noteType.options.map((type) => (
          <option key={type}>{type}</option>
        ))}
      </Select>
      <Tick label="Tags" checked={filter.tags} onChange={(tags) => set({ tags })} />
      <Tick label="Superseded" checked={filter.superseded} onChange={(superseded) => set({ superseded })} />
      <span className="ml-auto hidden gap-4 sm:flex">
        {noteType.options.map((type) => (
          <TypeMark key={type} type={type} named />
        ))}
      </span>
    </div>
  );
}

function Tick({ label, checked, onChange }: { label: string; checked: boolean; onChange: (on: boolean) => void }) {
  return (
    <label className="flex cursor-pointer items-center gap-1.5">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} className="size-4 accent-accent" />
      {label}
    </label>
  );
}
