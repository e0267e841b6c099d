"use client";

import clsx from "clsx";
import { X } from "lucide-react";
import { useMemo } from "react";
import { TypeMark } from "@/components/type-mark";
import { Button } from "@/components/ui/button";
import { inputClass } from "@/components/ui/field";
import type { FilterKey, NoteFilter } from "@/lib/filter";
import { count } from "@/lib/format";
import { useFacets } from "@/lib/queries";
import { noteType, type Count, type Facets } from "@/lib/schemas/note";

type Props = { filter: NoteFilter; onChange: (filter: NoteFilter) => void };

const CHOICES: { key: FilterKey; all: string; from: keyof Facets }[] = [
  { key: "project", all: "Any project", from: "projects" },
  { key: "machine", all: "Any machine", from: "machines" },
  { key: "tag", all: "Any tag", from: "tags" },
  { key: "source", all: "Any source", from: "sources" },
  { key: "scope", all: "Any scope", from: "scopes" },
];

export function Filters({ filter, onChange }: Props) {
  const { data: facets } = useFacets();
  const narrowed = Object.entries(filter).some(([key, value]) => key !== "q" && value);
  const set = (key: FilterKey, value: string) => onChange({ ...filter, [key]: value });
  return (
    <div role="group" aria-label="Filters" className="mb-4 flex flex-wrap items-center gap-2">
      <TypeFilter chosen={filter.type ?? ""} onChange={(type) => set("type", type)} />
      {CHOICES.map(({ key, all, from }) => (
        <Choice key={key} all={all} value={filter[key] ?? ""} counts={facets?.[from] ?? []} onChange={(value) => set(key, value)} />
      ))}
      <select
        aria-label="Superseded notes"
        value={filter.superseded ?? ""}
        onChange={(event) => set("superseded", event.target.value)}
        className={clsx(inputClass, "h-8 w-auto! px-1.5! text-sm! [field-sizing:content]")}
      >
        <option value="">Current only</option>
        <option value="show">With superseded</option>
        <option value="only">Superseded only</option>
      </select>
      <DayField name="Changed from" value={filter.since ?? ""} onChange={(since) => set("since", since)} />
      <DayField name="Changed until" value={filter.until ?? ""} onChange={(until) => set("until", until)} />
      <select
        aria-label="Sort by"
        title={filter.q && "A search is sorted by how well a note matches"}
        disabled={Boolean(filter.q)}
        value={filter.q ? "" : (filter.sort ?? "")}
        onChange={(event) => set("sort", event.target.value)}
        className={clsx(inputClass, "h-8 w-auto! px-1.5! text-sm! [field-sizing:content]")}
      >
        <option value="">{filter.q ? "Best first" : "Newest first"}</option>
        <option value="oldest">Oldest first</option>
        <option value="created">Newest created first</option>
        <option value="title">By title</option>
      </select>
      {narrowed && (
        <Button small look="quiet" onClick={() => onChange({ q: filter.q })}>
          <X aria-hidden /> Clear filters
        </Button>
      )}
    </div>
  );
}

function TypeFilter({ chosen, onChange }: { chosen: string; onChange: (type: string) => void }) {
  return (
    <div role="group" aria-label="Type" className="flex rounded-md border border-edge/60 bg-panel p-0.5">
      {noteType.options.map((type) => (
        <button
          key={type}
          type="button"
          aria-pressed={chosen === type}
          onClick={() => onChange(chosen === type ? "" : type)}
          className={clsx("h-[1.65rem] rounded px-2", chosen === type ? "bg-accent-wash" : "hover:bg-sunken")}
        >
          <TypeMark type={type} named />
        </button>
      ))}
    </div>
  );
}

/** A day to filter by; an incomplete date is not requested. */
function DayField({ name, value, onChange }: { name: string; value: string; onChange: (day: string) => void }) {
  return (
    <label className="flex items-center gap-1.5 text-sm text-faint">
      {name}
      <input
        type="date"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={clsx(inputClass, "h-8 w-auto! px-1.5! text-sm!", value && "border-accent! text-accent")}
      />
    </label>
  );
}

type ChoiceProps = { all: string; value: string; counts: Count[]; onChange: (value: string) => void };

function Choice({ all, value, counts, onChange }: ChoiceProps) {
  const known = counts.some((item) => item.name === value) || !value;
  // There may be hundreds: they are not drawn again with every letter that is typed into the search.
  const options = useMemo(
    () =>
      counts.map((item) => (
        <option key={item.name} value={item.name}>
          {item.name} ({count(item.count)})
        </option>
      )),
    [counts],
  );
  return (
    <select
      aria-label={all}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className={clsx(inputClass, "h-8 w-auto! max-w-40 px-1.5! text-sm! [field-sizing:content]", value && "border-accent! text-accent")}
    >
      <option value="">{all}</option>
      {!known && <option value={value}>{value}</option>}
      {options}
    </select>
  );
}
