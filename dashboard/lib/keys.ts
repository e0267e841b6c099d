// Keyboard shortcuts: single keys and "g b" pairs, never while a text is being typed.
import { useEffect, useRef } from "react";

type Shortcuts = Record<string, () => void>;

const PAIR_MS = 900;

/** Run an action for a key ("n"), a pair ("g b") or a chord with Cmd or Ctrl ("mod+k"). */
export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts);
  useEffect(() => {
    current.current = shortcuts;
  });
  useEffect(() => {
    let first = "";
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onKey = (event: KeyboardEvent) => {
      const key = keyName(event);
      if (!key) return;
      const action = current.current[first ? `${first} ${key}` : key] ?? current.current[key];
      clearTimeout(timer);
      first = "";
      if (action) {
        event.preventDefault();
        action();
      } else if (Object.keys(current.current).some((name) => name.startsWith(`${key} `))) {
        first = key;
        timer = setTimeout(() => (first = ""), PAIR_MS);
      }
    };
    document.addEventListener("keydown", onKey);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("keydown", onKey);
    };
  }, []);
}

function keyName(event: KeyboardEvent): string {
  if (event.defaultPrevented || event.altKey) return "";
  if (event.metaKey || event.ctrlKey) return `mod+${event.key.toLowerCase()}`;
  return isTyping(event.target) || document.querySelector("dialog[open]") ? "" : event.key;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}
