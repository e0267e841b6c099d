import type { ReactNode } from "react";

type Props = { title: string; page?: boolean; children?: ReactNode };

/** An honest nothing: what is not there, why, and what would change it; `page` when it is all a page holds. */
export function Empty({ title, page, children }: Props) {
  const Title = page ? "h1" : "p";
  return (
    <div className="rounded-lg border border-dashed border-line px-6 py-10 text-center">
      <Title className="font-serif text-lg text-soft italic">{title}</Title>
      {children && <div className="mx-auto mt-2 max-w-md text-sm text-faint">{children}</div>}
    </div>
  );
}
