"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Empty } from "@/components/empty";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { buildGraph, type MapFilter } from "@/features/map/graph";
import { MapCanvas } from "@/features/map/map-canvas";
import { MapFilters } from "@/features/map/map-filters";
import { Selection } from "@/features/map/selection";
import { api } from "@/lib/api";
import { plural } from "@/lib/format";
import type { StoreMap } from "@/lib/schemas/map";

const START: MapFilter = { type: "", project: "", tags: false, superseded: false };

function useStoreMap() {
  return useQuery({ queryKey: ["map"], queryFn: api.map });
}

/** The store as a graph: projects as rings, notes as points, their links as lines. */
export function MapPage() {
  return (
    <Loaded query={useStoreMap()} isEmpty={(map) => map.nodes.length === 0} empty={<NothingToDraw />}>
      {(map) => <Chart map={map} />}
    </Loaded>
  );
}

function Chart({ map }: { map: StoreMap }) {
  const [filter, setFilter] = useState(START);
  const [chosen, setChosen] = useState<string | null>(null);
  const graph = useMemo(() => buildGraph(map, filter), [map, filter]);
  const place = chosen === null ? -1 : graph.points.findIndex((point) => point.key === chosen);
  const choose = (at: number) => setChosen(graph.points[at]?.key ?? null);
  const notes = graph.points.filter((point) => point.note).length;
  return (
    <>
      <PageHeader title="Map" about={`${plural(notes, "note")}. Drag to move, scroll to zoom, click for what is linked.`} />
      <MapFilters map={map} filter={filter} onChange={setFilter} />
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_17rem]">
        <div className="h-[min(54dvh,46rem)] lg:h-[min(70dvh,46rem)] overflow-hidden rounded-lg border border-line bg-panel">
          <MapCanvas graph={graph} chosen={place} onChoose={choose} />
        </div>
        <Selection graph={graph} place={place} onChoose={choose} />
      </div>
    </>
  );
}

function NothingToDraw() {
  return (
    <>
      <PageHeader title="Map" />
      <Empty title="There is nothing to draw yet.">Projects, notes and their links appear here once there are notes.</Empty>
    </>
  );
}
