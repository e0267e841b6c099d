import { useSearchParams } from "next/navigation";
import { useCallback, useState } from "react";
import { browseLink, isSameBut, readFilter, type NoteFilter } from "@/lib/filter";

type Filtering = {
  filter: NoteFilter;
  change: (filter: NoteFilter) => void;
  /** Let the address say this; to be called with what is on the screen. */
  publish: (filter: NoteFilter) => void;
};

/** The filter of the list. A link, Back or Forward changes it; the address follows what it brought. */
export function useFilter(): Filtering {
  const linked = useSearchParams().toString();
  const [filter, setFilter] = useState<NoteFilter>(() => readFilter(new URLSearchParams(linked)));
  // The address that we hear of lags behind fast typing: only one that we did not write ourselves is news.
  const [address, setAddress] = useState({ heard: linked, written: [] as string[] });
  if (linked !== address.heard) {
    const place = address.written.indexOf(linked);
    setAddress({ heard: linked, written: place < 0 ? [] : address.written.slice(place + 1) });
    if (place < 0) setFilter(readFilter(new URLSearchParams(linked)));
  }
  const publish = useCallback((shown: NoteFilter) => {
    const link = browseLink(shown);
    if (link === window.location.pathname + window.location.search) return;
    setAddress(({ heard, written }) => ({ heard, written: [...written, link.split("?")[1] ?? ""] }));
    // Letters that are typed are one step; every other choice is a step that Back undoes.
    const before = readFilter(new URLSearchParams(window.location.search));
    if (isSameBut("q", before, shown)) window.history.replaceState(null, "", link);
    else window.history.pushState(null, "", link);
  }, []);
  return { filter, change: setFilter, publish };
}
