import { api } from "@/lib/api";
import { plural } from "@/lib/format";
import { tell, useTellWithUndo } from "@/lib/notice";
import type { Changed } from "@/lib/types";

/** Report what a change to many notes did, with an undo, and what failed. */
export function useReport(): (answer: Changed, done: string, deleted?: boolean) => void {
  const tellWithUndo = useTellWithUndo();
  return (answer, done, deleted = false) => {
    if (answer.done > 0) tellWithUndo(`${done} ${plural(answer.done, "note")}.`, () => takeBack(answer.undo, deleted));
    const [first] = answer.failed;
    if (first) tell(`${plural(answer.failed.length, "note")} could not be changed: ${first.error}`, true);
  };
}

/** Restore each note, one after the other; report what failed once all were tried. */
async function takeBack(before: Changed["undo"], deleted: boolean): Promise<void> {
  const failed: Error[] = [];
  for (const [id, text] of Object.entries(before)) {
    await api.restore(id, deleted ? {} : { text }, null).catch((error: Error) => failed.push(error));
  }
  const [first] = failed;
  if (first) throw new Error(`${plural(failed.length, "note")} could not be restored: ${first.message}`);
}
