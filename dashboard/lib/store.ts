// A value outside React that components follow: the notices, the open overlay, the connection, the theme.
import { useSyncExternalStore } from "react";

/** `changed` announces a change of what `read` reads. */
export type Store<T> = { use: () => T; get: () => T; set: (value: T) => void; changed: () => void };

/** `follow` starts listening to whatever else may change the value, and `initial` is what the export shows. */
export function makeStore<T>(
  initial: T,
  options: { read?: () => T; follow?: (changed: () => void) => () => void } = {},
): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  const get = options.read ?? (() => value);
  const announce = () => listeners.forEach((listener) => listener());
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    const stop = options.follow?.(listener);
    return () => {
      listeners.delete(listener);
      stop?.();
    };
  };
  return {
    use: () => useSyncExternalStore(subscribe, get, () => initial),
    get,
    set: (next) => {
      value = next;
      announce();
    },
    changed: announce,
  };
}
