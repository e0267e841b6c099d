import { useAct } from "@/lib/act";
import { api } from "@/lib/api";
import { noteLink } from "@/lib/filter";
import { useGo } from "@/lib/go";

/** Restore a version of a note; for a deleted note, without a base, its last version. */
export function useRestore(id: string, base: string | null, commit?: string) {
  const router = useGo();
  return useAct(() => api.restore(id, { commit }, base), {
    say: "Restored.",
    undo: ({ version }) => (base ? api.restore(id, { text: base }, version) : api.remove(id, version)),
    then: () => router.push(noteLink(id)),
  });
}
