"use client";

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { Search } from "lucide-react";
import { useId, useState, type KeyboardEvent } from "react";
import { Marked } from "@/components/marked";
import { Phrase } from "@/components/phrase";
import { Title } from "@/components/title";
import { TypeMark } from "@/components/type-mark";
import { Dialog } from "@/components/ui/dialog";
import { useCommands } from "@/features/shell/commands";
import { ask } from "@/lib/api";
import { noteLink, notesLink } from "@/lib/filter";
import { unknownWord } from "@/lib/format";
import { useGo } from "@/lib/go";
import { tellingSnippet } from "@/lib/highlight";
import type { ListedNote } from "@/lib/types";

const MOST_NOTES = 8;

type Choice = { run: () => void; key: string; note?: ListedNote; name: string };

/** Search from anywhere: pages and commands by name, then notes as you type. */
export function Palette({ onClose }: { onClose: () => void }) {
  const list = useId();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const { choices, unknown, failure, searching } = useChoices(text);
  const active = Math.min(at, choices.length - 1);
  const go = (choice: Choice | undefined) => {
    if (!choice) return;
    onClose();
    choice.run();
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt((active + step + choices.length) % choices.length);
    else if (event.key === "Enter") go(choices[active]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Search" hideTitle top onClose={onClose} className="w-[min(40rem,calc(100vw-1.5rem))]">
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Search aria-hidden className="size-4 text-faint" />
        <input
          // The user opened the palette to type into it.
          // eslint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          role="combobox"
          aria-label="Search notes, pages and commands"
          aria-expanded
          aria-controls={list}
          aria-activedescendant={choices[active] ? `${list}-${active}` : undefined}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKey}
          placeholder="Search notes, pages and commands"
          className="h-12 flex-1 bg-transparent outline-none placeholder:text-faint"
        />
      </div>
      <div id={list} role="listbox" aria-label="Results" className="max-h-[60vh] overflow-y-auto p-1.5">
        {choices.map((choice, place) => (
          // The input keeps the focus and moves through the options with the arrow keys.
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            key={choice.key}
            id={`${list}-${place}`}
            role="option"
            tabIndex={-1}
            aria-selected={place === active}
            onClick={() => go(choice)}
            onMouseMove={() => setAt(place)}
            className={clsx("cursor-pointer rounded-md px-3 py-1.5", place === active && "bg-accent-wash")}>
            {choice.note ? <NoteChoice note={choice.note} /> : <span className="text-sm">{choice.name}</span>}
          </div>
        ))}
        {unknown && (
          <p role="status" className="px-3 py-2 text-sm text-warn">
            {unknown}
          </p>
        )}
        {failure && (
          <p role="alert" className="px-3 py-2 text-sm text-bad">
            <Phrase text={failure} />
          </p>
        )}
        {choices.length === 0 && !failure && (
          <p className="px-3 py-4 text-sm text-faint">{searching ? "Searching …" : "Nothing matches."}</p>
        )}
      </div>
    </Dialog>
  );
}

type Choices = { choices: Choice[]; unknown: string; failure: string; searching: boolean };

function useChoices(text: string): Choices {
  const router = useGo();
  const asked = text.trim();
  const { data, error, isLoading: searching } = useQuery(ask.found(asked, MOST_NOTES));
  const commands = useCommands().filter((command) => matches(command.name, asked));
  if (!asked) return { choices: commands, unknown: "", failure: "", searching: false };
  const { notes = [], unknown = [] } = data ?? {};
  const failure = error?.message ?? "";
  const found = notes.map((note) => ({
    run: () => router.push(noteLink(note.id)),
    key: note.id,
    note,
    name: note.title,
  }));
  const all = { run: () => router.push(notesLink({ q: asked })), key: "all", name: `All results for “${asked}”` };
  const choices = [...commands, ...found, ...(found.length ? [all] : [])];
  return { choices, unknown: unknown.map(unknownWord).join(" "), failure, searching };
}

/** Whether every typed word is a prefix of a word in the name. */
function matches(name: string, asked: string): boolean {
  const words = name.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return asked
    .toLowerCase()
    .split(/\s+/)
    .every((wanted) => words.some((word) => word.startsWith(wanted)));
}

function NoteChoice({ note }: { note: ListedNote }) {
  const terms = note.match?.terms ?? [];
  const snippet = tellingSnippet(note.title, note.match);
  return (
    <div className="min-w-0">
      <p className="flex items-center gap-2 text-base font-medium">
        <TypeMark type={note.type} />
        <span className="truncate">
          <Title text={note.title} terms={terms} />
        </span>
        <span className="ml-auto hidden shrink-0 text-xs font-normal text-faint sm:inline">{note.project}</span>
      </p>
      {snippet && (
        <p className="truncate pl-[1.1rem] text-sm text-soft">
          <Marked text={snippet} terms={terms} />
        </p>
      )}
    </div>
  );
}
