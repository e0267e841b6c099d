// Short messages about what was just done, shown until they have been read.
import { useQueryClient } from "@tanstack/react-query";
import { makeStore } from "./store";

/** What can be done about it: `run` first, then the page at `href`. */
export type NoticeAction = { label: string; run?: () => void; href?: string };
export type Notice = { id: number; text: string; bad: boolean; action?: NoticeAction };

const STAY_MS = 6000;
let last = 0;
export const notices = makeStore<Notice[]>([]);

export function tell(text: string, bad = false, action?: NoticeAction): void {
  last += 1;
  const notice = { id: last, text, bad, action };
  notices.set([...notices.get().slice(-2), notice]);
  setTimeout(() => dismiss(notice.id), bad || action ? STAY_MS * 2 : STAY_MS);
}

export function dismiss(id: number): void {
  notices.set(notices.get().filter((notice) => notice.id !== id));
}

/** Say what was done, with a button to undo it. */
export function useTellWithUndo(): (text: string, undo: () => Promise<unknown>) => void {
  const queries = useQueryClient();
  return (text, undo) => {
    const run = () =>
      void undo().then(
        () => {
          tell("Undone.");
          void queries.invalidateQueries();
        },
        (error: Error) => tell(error.message, true),
      );
    tell(text, false, { label: "Undo", run });
  };
}

/** Put a text on the clipboard, and say so. */
export async function copy(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    tell(done);
  } catch {
    tell("The browser did not allow copying.", true);
  }
}
