"use client";

import clsx from "clsx";
import { ListFilter, X } from "lucide-react";
import { useMemo, useState } from "react";
import { dayPresets, type Filter, type FilterKey } from "@/lib/filter";
import { count } from "@/lib/format";

type Option = { value: string; name?: string; count?: number };
export type Dimension = { key: FilterKey; name: string; options: Option[] };

type Props = { dimensions: Dimension[]; filter: Filter; onChange: (filter: Filter) => void; days?: boolean };

// On a phone, the days and “Filter” fit into one line.
const CHIP = "inline-flex h-7 shrink-0 items-center rounded-full border text-sm whitespace-nowrap max-sm:text-xs";

/** The filters of every list: days at one click, a chip for each filter that is chosen, and “Filter” for the others. */
export function Chips({ dimensions, filter, onChange, days = false }: Props) {
  const [opened, setOpened] = useState<FilterKey | null>(null);
  const chosen = dimensions.filter(({ key }) => filter[key] || key === opened);
  const others = dimensions.filter((each) => !chosen.includes(each));
  const set = (change: Filter) => onChange({ ...filter, ...change });
  const narrowed = dimensions.some(({ key }) => filter[key]) || filter.since || filter.until;
  return (
    <div role="group" aria-label="Filters" className="mb-3 flex flex-wrap gap-1.5 max-sm:gap-1">
      {days && <DayChips filter={filter} onChange={set} />}
      {chosen.map((each) => (
        <ChosenChip
          key={each.key}
          dimension={each}
          value={filter[each.key] ?? ""}
          onChange={(value) => {
            setOpened(null);
            set({ [each.key]: value });
          }}
        />
      ))}
      {others.length > 0 && (
        <span className={clsx(CHIP, "relative border-dashed border-edge/60 text-soft hover:border-edge")}>
          <ListFilter aria-hidden className="ml-2.5 size-3.5 max-sm:ml-2" />
          <select
            aria-label="Add a filter"
            value=""
            onChange={(event) => setOpened(event.target.value as FilterKey)}
            className="h-full cursor-pointer appearance-none rounded-full bg-transparent pr-3 pl-1.5 [field-sizing:content] max-sm:pr-2 max-sm:pl-1">
            <option value="">Filter</option>
            {others.map(({ key, name }) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </select>
        </span>
      )}
      {narrowed && (
        <button
          type="button"
          onClick={() => onChange({ q: filter.q, sort: filter.sort })}
          className="h-7 shrink-0 px-1.5 text-sm text-faint hover:text-ink">
          Clear
        </button>
      )}
    </div>
  );
}

type ChosenProps = { dimension: Dimension; value: string; onChange: (value: string) => void };

function ChosenChip({ dimension: { name, options }, value, onChange }: ChosenProps) {
  const known = options.some((item) => item.value === value);
  // There may be hundreds: they are not drawn again with every letter that is typed into the search.
  const drawn = useMemo(
    () =>
      options.map((item) => (
        <option key={item.value} value={item.value}>
          {item.name ?? item.value}
          {item.count !== undefined && item.value !== value && ` (${count(item.count)})`}
        </option>
      )),
    [options, value],
  );
  return (
    <span className={clsx(CHIP, "border-accent/50 bg-accent-wash text-accent has-[select:focus-visible]:outline-2")}>
      <span className="pl-2.5 text-xs">{name}</span>
      <select
        // It was just added, to be chosen from.
        // eslint-disable-next-line jsx-a11y/no-autofocus
        autoFocus={!value}
        aria-label={name}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="h-full max-w-44 cursor-pointer appearance-none truncate bg-transparent px-1.5 font-medium outline-none! [field-sizing:content]">
        {!value && <option value="">choose …</option>}
        {value && !known && <option value={value}>{value}</option>}
        {drawn}
      </select>
      <button
        type="button"
        aria-label={`Remove the filter ${name}`}
        onClick={() => onChange("")}
        className="grid h-full w-6 place-items-center rounded-full">
        <X aria-hidden className="size-3.5" />
      </button>
    </span>
  );
}

type ChoiceProps = {
  label: string;
  choices: { value: string; name: string; count?: number }[];
  value: string;
  onChange: (value: string) => void;
};

/** A few values to choose from, at most one at a time. */
export function ChoiceChips({ label, choices, value, onChange }: ChoiceProps) {
  return (
    <div role="group" aria-label={label} className="flex flex-wrap gap-1.5 max-sm:gap-1">
      {choices.map((each) => (
        <button
          key={each.value}
          type="button"
          aria-pressed={each.value === value}
          onClick={() => onChange(each.value === value ? "" : each.value)}
          className={clsx(
            CHIP,
            "px-2.5 max-sm:px-2",
            each.value === value
              ? "border-accent/50 bg-accent-wash font-medium text-accent"
              : "border-line bg-panel text-soft hover:border-edge",
          )}>
          {each.name}
          {each.count !== undefined && <span className="ml-1.5 text-xs tabular-nums">{count(each.count)}</span>}
        </button>
      ))}
    </div>
  );
}

function DayChips({ filter, onChange }: { filter: Filter; onChange: (change: Filter) => void }) {
  const presets = dayPresets();
  const { since = "", until = "" } = filter;
  const pressed = presets.find((each) => each.since === since && each.until === until);
  return (
    <>
      <ChoiceChips
        label="Days"
        choices={presets.map(({ name }) => ({ value: name, name }))}
        value={pressed?.name ?? ""}
        onChange={(name) => {
          const chosen = presets.find((each) => each.name === name);
          onChange({ since: chosen?.since ?? "", until: chosen?.until ?? "" });
        }}
      />
      {(since || until) && !pressed && (
        <span className={clsx(CHIP, "gap-1 border-accent/50 bg-accent-wash px-2.5 text-accent")}>
          {(["since", "until"] as const).map((side) => (
            <label key={side} className="flex items-center gap-1 text-xs">
              {side === "since" ? "from" : "to"}
              <input
                type="date"
                value={filter[side] ?? ""}
                onChange={(event) => onChange({ [side]: event.target.value })}
                className="bg-transparent text-sm text-accent"
              />
            </label>
          ))}
          <button
            type="button"
            aria-label="Remove the days"
            onClick={() => onChange({ since: "", until: "" })}
            className="grid w-5 place-items-center">
            <X aria-hidden className="size-3.5" />
          </button>
        </span>
      )}
    </>
  );
}
