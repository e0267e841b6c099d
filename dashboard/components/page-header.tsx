import type { ReactNode } from "react";

export function PageTitle({ children }: { children: ReactNode }) {
  return <h1 className="font-serif text-2xl leading-[1.15] font-medium tracking-[-0.012em]">{children}</h1>;
}

export function PageHeader({ title, about, children }: { title: string; about?: ReactNode; children?: ReactNode }) {
  return (
    <header className="mb-5 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <PageTitle>{title}</PageTitle>
        {about && <p className="mt-0.5 text-sm text-faint">{about}</p>}
      </div>
      {children && <div className="flex flex-wrap items-center gap-2">{children}</div>}
    </header>
  );
}
