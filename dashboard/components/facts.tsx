import clsx from "clsx";
import type { ReactNode } from "react";

/** Names and their values, in two columns. */
export function Facts({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <dl className={clsx("grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm", className)}>{children}</dl>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="contents">
      <dt className="text-faint">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
