import type { ReactNode } from "react";

type Props = { title: string; page?: boolean; children?: ReactNode };

/** An empty state: what is missing, why, and how to change that; `page` if it fills the whole page. */
export function Empty({ title, page, children }: Props) {
  const Title = page ? "h1" : "p";
  return (
    <div className="rounded-lg border border-dashed border-line px-6 py-10 text-center">
      <Title className="font-serif text-lg text-soft italic">{title}</Title>
      {children && <div className="mx-auto mt-2 max-w-md text-sm text-faint">{children}</div>}
    </div>
  );
}
