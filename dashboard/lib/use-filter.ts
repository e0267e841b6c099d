import { useSearchParams } from "next/navigation";
import { useCallback, useState } from "react";
import { isSameBut, readFilter, withFilter, type Filter } from "./filter";

type Filtering = {
  filter: Filter;
  change: (filter: Filter) => void;
  /** Put this into the URL; call it with what is on the screen. */
  publish: (filter: Filter) => void;
};

/** The filter of a page's list. A link, Back or Forward changes it, and the URL follows. */
export function useFilter(page: string): Filtering {
  const linked = useSearchParams().toString();
  const [filter, setFilter] = useState<Filter>(() => readFilter(new URLSearchParams(linked)));
  // The URL we are notified of lags behind fast typing, so only one that we did not write ourselves counts.
  const [address, setAddress] = useState({ heard: linked, written: [] as string[] });
  if (linked !== address.heard) {
    const place = address.written.indexOf(linked);
    setAddress({ heard: linked, written: place < 0 ? [] : address.written.slice(place + 1) });
    if (place < 0) setFilter(readFilter(new URLSearchParams(linked)));
  }
  const publish = useCallback(
    (shown: Filter) => {
      const link = withFilter(page, shown);
      if (link === window.location.pathname + window.location.search) return;
      setAddress(({ heard, written }) => ({ heard, written: [...written, link.split("?")[1] ?? ""] }));
      // Typed letters are one history entry; every other choice is an entry that Back undoes.
      const before = readFilter(new URLSearchParams(window.location.search));
      if (isSameBut("q", before, shown)) window.history.replaceState(null, "", link);
      else window.history.pushState(null, "", link);
    },
    [page],
  );
  return { filter, change: setFilter, publish };
}
