import clsx from "clsx";
import type { ReactNode } from "react";
import { Phrase } from "@/components/phrase";

type Props = { title?: string; action?: ReactNode; flush?: boolean; className?: string; children: ReactNode };

/** A box with an optional heading; `flush` lets rows reach its edges. */
export function Panel({ title, action, flush, className, children }: Props) {
  return (
    <section
      aria-label={title}
      className={clsx("flex flex-col overflow-hidden rounded-lg border border-line bg-panel", className)}>
      {title && (
        <header className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1.5 border-b border-line px-4 py-2">
          <h2 className="min-w-0 text-sm font-semibold text-soft">
            <Phrase text={title} />
          </h2>
          {action && <div className="min-w-0">{action}</div>}
        </header>
      )}
      <div className={clsx("flex-1", !flush && "p-4")}>{children}</div>
    </section>
  );
}
