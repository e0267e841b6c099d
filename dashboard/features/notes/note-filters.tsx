"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Chips, type Dimension } from "@/components/chips";
import { ask } from "@/lib/api";
import type { Filter } from "@/lib/filter";
import type { Facets } from "@/lib/types";

const SUPERSEDED = [
  { value: "show", name: "also" },
  { value: "only", name: "only" },
];
const ORDERS = [
  { value: "oldest", name: "oldest first" },
  { value: "created", name: "newest created first" },
  { value: "title", name: "by title" },
];

/** The filters of the notes, with the values that there are. */
export function NoteFilters({ filter, onChange }: { filter: Filter; onChange: (filter: Filter) => void }) {
  const { data } = useQuery(ask.facets());
  const dimensions = useMemo((): Dimension[] => {
    const values = (name: keyof Facets) =>
      (data?.[name] ?? []).map((each) => ({ value: each.name, count: each.count }));
    return [
      { key: "type", name: "Type", options: values("types") },
      { key: "project", name: "Project", options: values("projects") },
      { key: "machine", name: "Machine", options: values("machines") },
      { key: "tags", name: "Tag", options: values("tags") },
      { key: "source", name: "Source", options: values("sources") },
      { key: "scope", name: "Scope", options: values("scopes") },
      { key: "superseded", name: "Superseded", options: SUPERSEDED },
      // A search is sorted by how well a note matches.
      ...(filter.q ? [] : [{ key: "sort", name: "Sorted", options: ORDERS } as Dimension]),
    ];
  }, [data, filter.q]);
  return <Chips dimensions={dimensions} filter={filter} onChange={onChange} days />;
}
