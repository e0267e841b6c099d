// The two tags that decide whether Claude is told a note.
import { useAct } from "./act";
import { api } from "./api";

export const TELLING = {
  pinned: { added: "Pinned: Claude is told this note first.", dropped: "Unpinned." },
  reference: { added: "Not told any more; a search still finds it.", dropped: "It can be told again." },
};

/** Give a note the tag, or take it away if it is there. */
export function useTag(id: string, tag: keyof typeof TELLING, on = false) {
  return useAct(() => api.changeNote(id, on ? "untag" : "tag", tag), {
    say: on ? TELLING[tag].dropped : TELLING[tag].added,
    undo: ({ undo }) => api.restore(id, { text: undo[id] }, null),
  });
}
