import { useMemo, useState } from "react";

export type Selection = {
  ids: ReadonlySet<string>;
  toggle: (id: string) => void;
  take: (ids: string[]) => void;
  clear: () => void;
};

/** The notes that were chosen for one change of all of them; they stay chosen while the list is narrowed otherwise. */
export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  return useMemo(
    () => ({
      ids,
      toggle: (id) => setIds((before) => (before.has(id) ? new Set([...before].filter((each) => each !== id)) : new Set([...before, id]))),
      take: (taken) => setIds(new Set(taken)),
      clear: () => setIds(new Set()),
    }),
    [ids],
  );
}
