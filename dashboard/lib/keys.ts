// Keyboard shortcuts: single keys, "g n" pairs and chords, never while a text is being typed. The help lists them.
import { useEffect, useId, useLayoutEffect, useRef } from "react";
import { makeStore } from "./store";

/** What a key does, as the help says it; a shortcut without words is not listed. */
export type Shortcuts = Record<string, { does: string; run: () => void }>;
type Registered = { id: string; where: string; shortcuts: Shortcuts };

const registered = makeStore<Registered[]>([]);
const PAIR_MS = 900;
let first = "";
let timer: ReturnType<typeof setTimeout> | undefined;

/** Run an action for a key ("n"), a pair ("g b") or a chord with Cmd or Ctrl ("mod+k") while this is mounted. */
export function useShortcuts(where: string, shortcuts: Shortcuts): void {
  const id = useId();
  const current = useRef(shortcuts);
  useLayoutEffect(() => {
    current.current = shortcuts;
  });
  const names = Object.entries(shortcuts)
    .map(([key, { does }]) => `${key} ${does}`)
    .join("\n");
  useEffect(() => {
    // Only the words are read from the list; the newest action is found through the reference.
    const keys = Object.entries(current.current).map(
      ([key, { does }]) => [key, { does, run: () => current.current[key]?.run() }] as const,
    );
    registered.set([...registered.get(), { id, where, shortcuts: Object.fromEntries(keys) }]);
    return () => registered.set(registered.get().filter((each) => each.id !== id));
  }, [id, where, names]);
}

/** The shortcuts that work on this page now, by where they work. */
export function useRegistered(): { where: string; rows: [string, string][] }[] {
  const places = new Map<string, [string, string][]>();
  for (const { where, shortcuts } of registered.use()) {
    const rows = Object.entries(shortcuts).flatMap(([key, { does }]): [string, string][] =>
      does ? [[key, does]] : [],
    );
    if (rows.length > 0) places.set(where, [...(places.get(where) ?? []), ...rows]);
  }
  return [...places].map(([where, rows]) => ({ where, rows }));
}

/** Listen to the keyboard; called once, by the shell. */
export function listen(): () => void {
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}

function onKey(event: KeyboardEvent): void {
  const key = keyName(event);
  if (!key) return;
  // A page's own shortcuts were registered last, and win over those of the shell.
  const all = Object.assign({}, ...registered.get().map((each) => each.shortcuts)) as Shortcuts;
  const action = all[first ? `${first} ${key}` : key] ?? all[key];
  clearTimeout(timer);
  first = "";
  if (action) {
    event.preventDefault();
    action.run();
  } else if (Object.keys(all).some((name) => name.startsWith(`${key} `))) {
    first = key;
    timer = setTimeout(() => (first = ""), PAIR_MS);
  }
}

function keyName(event: KeyboardEvent): string {
  if (event.defaultPrevented || event.altKey) return "";
  if (event.metaKey || event.ctrlKey) return `mod+${event.key.toLowerCase()}`;
  const target = event.target instanceof HTMLElement ? event.target : null;
  if (document.querySelector("dialog[open]")) return "";
  if (target && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) && !isTick(target))
    return "";
  // A focused button or link answers to these itself.
  if (target && /^(BUTTON|A|SUMMARY)$/.test(target.tagName) && (event.key === "Enter" || event.key === " ")) return "";
  return event.key;
}

function isTick(target: HTMLElement): boolean {
  return target instanceof HTMLInputElement && /^(checkbox|radio)$/.test(target.type);
}
