import { useMemo, useState } from "react";

export type Selection = {
  ids: ReadonlySet<string>;
  toggle: (id: string) => void;
  take: (ids: string[]) => void;
  clear: () => void;
};

/** The notes selected for a bulk change; they stay selected when the filter changes. */
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
