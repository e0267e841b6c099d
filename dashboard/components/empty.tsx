import type { ReactNode } from "react";

/** An honest nothing: what is not there, why, and what would change it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="rounded-lg border border-dashed border-line px-6 py-10 text-center">
      <p className="font-serif text-lg text-soft italic">{title}</p>
      {children && <div className="mx-auto mt-2 max-w-md text-[0.9rem] text-faint">{children}</div>}
    </div>
  );
}
