import { api } from "@/lib/api";
import { plural } from "@/lib/format";
import { tell } from "@/lib/notice";
import type { Changed } from "@/lib/schemas/note";
import { useTellWithUndo } from "@/lib/undo";

/** Say what a change of many notes did, with an undo, and what it could not do. */
export function useReport(): (answer: Changed, done: string, deleted?: boolean) => void {
  const tellWithUndo = useTellWithUndo();
  return (answer, done, deleted = false) => {
    if (answer.done > 0) tellWithUndo(`${done} ${plural(answer.done, "note")}.`, () => takeBack(answer.undo, deleted));
    const [first] = answer.failed;
    if (first) tell(`${plural(answer.failed.length, "note")} could not be changed: ${first.error}`, true);
  };
}

/** Bring back each note as it was, one after the other; what cannot be brought back is named once all were tried. */
async function takeBack(before: Changed["undo"], deleted: boolean): Promise<void> {
  const failed: Error[] = [];
  for (const [id, text] of Object.entries(before)) {
    await api.restore(id, deleted ? {} : { text }, null).catch((error: Error) => failed.push(error));
  }
  const [first] = failed;
  if (first) throw new Error(`${plural(failed.length, "note")} could not be brought back: ${first.message}`);
}
