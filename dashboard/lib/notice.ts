// Short messages about what was just done, shown until they have been read.
import { useSyncExternalStore } from "react";

/** What can be done about it: `run` first, then the page at `href`. */
export type NoticeAction = { label: string; run?: () => void; href?: string };
export type Notice = { id: number; text: string; bad: boolean; action?: NoticeAction };

const STAY_MS = 6000;
let notices: Notice[] = [];
let last = 0;
const listeners = new Set<() => void>();
const NONE: Notice[] = [];

export function useNotices(): Notice[] {
  return useSyncExternalStore(subscribe, () => notices, () => NONE);
}

export function tell(text: string, bad = false, action?: NoticeAction): void {
  last += 1;
  const notice = { id: last, text, bad, action };
  change([...notices.slice(-2), notice]);
  setTimeout(() => dismiss(notice.id), bad || action ? STAY_MS * 2 : STAY_MS);
}

export function dismiss(id: number): void {
  change(notices.filter((notice) => notice.id !== id));
}

function change(next: Notice[]): void {
  notices = next;
  listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
