import { useAct } from "@/lib/act";
import { api } from "@/lib/api";
import { noteLink } from "@/lib/filter";
import { useGo } from "@/lib/go";

/** Restore a version of a note; without a base, the last one of a note that is deleted, or whose file is broken. */
export function useRestore(id: string, base: string | null, commit?: string, broken = false) {
  const router = useGo();
  return useAct(() => api.restore(id, { commit }, base), {
    say: broken ? "Restored. The broken text is kept in undo/." : "Restored.",
    canUndo: () => !broken,
    undo: ({ version }) => (base ? api.restore(id, { text: base }, version) : api.remove(id, version)),
    then: () => router.push(noteLink(id)),
  });
}
