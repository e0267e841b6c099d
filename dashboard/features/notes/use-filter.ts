import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { browseLink, readFilter, type NoteFilter } from "@/lib/filter";

/** The filter of the list. The address follows each change; a link, Back or Forward changes the filter. */
export function useFilter(): [NoteFilter, (filter: NoteFilter) => void] {
  const linked = useSearchParams().toString();
  const [filter, setFilter] = useState<NoteFilter>(() => readFilter(new URLSearchParams(linked)));
  // The address lags behind fast typing: only one that we did not write ourselves is news.
  const [own, setOwn] = useState<ReadonlySet<string>>(() => new Set([linked]));
  if (!own.has(linked)) {
    setOwn(new Set([linked]));
    setFilter(readFilter(new URLSearchParams(linked)));
  }
  const change = (next: NoteFilter) => {
    const link = browseLink(next);
    setFilter(next);
    setOwn((written) => new Set([...written, link.split("?")[1] ?? ""]));
    window.history.replaceState(null, "", link);
  };
  return [filter, change];
}
