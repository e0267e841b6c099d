import { useEffect, useState } from "react";

/** The value once it has stayed the same for a moment; until then, the one that did so before. */
export function useSettled<T>(value: T, first: T, patienceMs: number): T {
  const [settled, setSettled] = useState(first);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), patienceMs);
    return () => clearTimeout(timer);
  }, [value, patienceMs]);
  return settled;
}
