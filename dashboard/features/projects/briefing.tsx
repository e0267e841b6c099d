"use client";
/* eslint-disable jsx-a11y/no-noninteractive-tabindex */

import { useQuery } from "@tanstack/react-query";
import { BellOff, Bell, Pin, PinOff } from "lucide-react";
import { useState } from "react";
import Link from "@/components/link";
import { List } from "@/components/list";
import { Phrase } from "@/components/phrase";
import { Title } from "@/components/title";
import { TypeMark } from "@/components/type-mark";
import { Button } from "@/components/ui/button";
import { Tabs } from "@/components/ui/tabs";
import { reasonOf } from "@/features/projects/reasons";
import { useAct } from "@/lib/act";
import { api, ask } from "@/lib/api";
import { noteLink } from "@/lib/filter";
import { count } from "@/lib/format";
import { useGo } from "@/lib/go";
import { useTag } from "@/lib/tag";
import type { Briefing, RankedNote } from "@/lib/types";

const HOW: Record<RankedNote["how"], string> = {
  full: "Told in full",
  cut: "Told, cut to fit",
  title: "Told by title",
  room: "Left out: no room",
  worth: "Left out: not useful enough here",
};
const ORDER: RankedNote["how"][] = ["full", "cut", "title", "room", "worth"];
const height = () => 58;
/** Claude is told the beginning of the id with each rule. */
const SHORT_ID = / \([0-9A-Z]+\)$/;

/** What a session that starts here now is told, note by note with the reasons, and as text. */
export function BriefingView({ briefing }: { briefing: Briefing }) {
  const [view, setView] = useState("notes");
  return (
    <section aria-label="What Claude is told here">
      <Tabs
        label="What Claude is told"
        value={view}
        onChange={setView}
        heading={<h2 className="pb-1 text-base font-semibold">What Claude is told here</h2>}
        tabs={[
          { value: "notes", label: "Notes and reasons", content: <Notes briefing={briefing} /> },
          { value: "text", label: "The text itself", content: <Text text={briefing.text} /> },
        ]}
      />
      <p className="mt-2 text-sm text-faint">
        {count(briefing.characters)} of {count(briefing.budget)} characters
        {briefing.branch && `, on branch ${briefing.branch} in ${briefing.folder}`}.
        {briefing.only_counted > 0 && ` ${count(briefing.only_counted)} more notes are only counted.`}
      </p>
    </section>
  );
}

function Notes({ briefing: { notes, rules } }: { briefing: Briefing }) {
  const router = useGo();
  const shown = notes.toSorted((one, other) => ORDER.indexOf(one.how) - ORDER.indexOf(other.how));
  if (notes.length + rules.length === 0)
    return <p className="text-soft">No notes to tell: only the heading is printed.</p>;
  return (
    <>
      {rules.length > 0 && (
        <ul
          aria-label="Rules, told first"
          className="mb-3 list-disc rounded-lg border border-line bg-panel py-2 pr-4 pl-8 text-sm">
          {rules.map((line) => (
            <li key={line}>
              <Phrase text={line.replace(SHORT_ID, "").replace(/^- /, "")} />
            </li>
          ))}
        </ul>
      )}
      <List
        items={shown}
        label="Notes by how they are told"
        estimate={height}
        open={(note) => router.push(noteLink(note.id))}
        heading={(note, before) =>
          note.how !== before?.how && (
            <h3 className="border-b border-line bg-sunken px-4 py-1.5 text-sm font-semibold text-soft">
              {HOW[note.how]} ({count(shown.filter((each) => each.how === note.how).length)})
            </h3>
          )
        }>
        {(note) => <Told note={note} />}
      </List>
    </>
  );
}

function Told({ note }: { note: RankedNote }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2">
      <div className="min-w-0 flex-[1_1_16rem]">
        <Link href={noteLink(note.id)} className="flex items-baseline gap-2 hover:underline">
          <TypeMark type={note.type} />
          <span className="line-clamp-2 min-w-0 font-medium">
            <Title text={note.title} />
          </span>
        </Link>
        <p className="pl-[1.15rem] text-xs text-faint">{reasons(note)}</p>
      </div>
      <span className="flex gap-1.5">
        <TagButton note={note} tag="pinned" />
        {!note.tags.includes("pinned") && <TagButton note={note} tag="reference" />}
      </span>
    </div>
  );
}

const BUTTONS = {
  pinned: { add: [Pin, "Pin"], drop: [PinOff, "Unpin"] },
  reference: { add: [BellOff, "Stop telling"], drop: [Bell, "Tell again"] },
} as const;

/** Pin a note, or stop telling it, by a tag. */
function TagButton({ note, tag }: { note: RankedNote; tag: keyof typeof BUTTONS }) {
  const on = note.tags.includes(tag);
  const change = useTag(note.id, tag, on);
  const [Icon, name] = BUTTONS[tag][on ? "drop" : "add"];
  return (
    <Button small act={change}>
      <Icon aria-hidden /> {name}
    </Button>
  );
}

function reasons(note: RankedNote): string {
  const parts = Object.entries(note.parts)
    .filter(([, amount]) => amount !== 0)
    .toSorted(([, one], [, other]) => Math.abs(other) - Math.abs(one));
  if (parts.length === 0) return "no reason for or against it";
  return parts.map(([name, amount]) => `${amount < 0 ? "−" : "+"}\u00a0${reasonOf(name)}`).join(", ");
}

function Text({ text }: { text: string }) {
  return (
    // Long lines scroll inside the box, so it must be focusable.
    <pre
      tabIndex={0}
      aria-label="The text"
      role="region"
      className="max-h-[70vh] overflow-auto rounded-lg border border-line bg-panel p-4 font-mono text-xs whitespace-pre-wrap">
      {text || "Nothing: not even the heading fits the budget."}
    </pre>
  );
}

/** Whether the sessions of a project become notes, and a switch to change it. */
export function useCaptured(key: string) {
  const captured = useQuery(ask.projects()).data?.projects.find((each) => each.name === key)?.captured ?? true;
  const change = useAct((on: boolean) => api.setCaptured(key, on), {
    say: captured ? `Sessions of ${key} are no longer captured.` : `Sessions of ${key} are captured again.`,
    undo: () => api.setCaptured(key, captured),
  });
  return { captured, change };
}
