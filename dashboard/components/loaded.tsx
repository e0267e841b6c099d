"use client";

import type { UseQueryResult } from "@tanstack/react-query";
import { RotateCw, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Prose } from "@/components/prose";
import { Button } from "@/components/ui/button";

type Props<T> = {
  query: UseQueryResult<T>;
  /** What to show if there is nothing. */
  empty?: ReactNode;
  isEmpty?: (data: T) => boolean;
  children: (data: T) => ReactNode;
};

/** Handles loading, errors and empty results; a page only renders its data. */
export function Loaded<T>({ query, empty, isEmpty, children }: Props<T>) {
  if (query.data !== undefined) return <>{isEmpty?.(query.data) ? empty : children(query.data)}</>;
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return <Waiting />;
}

export function Failure({ error, retry }: { error: Error; retry?: () => void }) {
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-3 rounded-lg border border-bad/40 bg-bad-wash px-4 py-3">
      <TriangleAlert aria-hidden className="size-4 shrink-0 text-bad" />
      <p className="min-w-0 flex-1 text-sm">
        <Prose text={error.message} />
      </p>
      {retry && (
        <Button small onClick={retry}>
          <RotateCw aria-hidden /> Try again
        </Button>
      )}
    </div>
  );
}

function Waiting() {
  return (
    <div role="status" className="space-y-2.5 py-1">
      <span className="sr-only">Loading</span>
      {["w-2/5", "w-4/5", "w-3/5"].map((width) => (
        <div key={width} className={`h-4 animate-pulse rounded bg-line/70 ${width}`} />
      ))}
    </div>
  );
}
