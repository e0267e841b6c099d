import clsx from "clsx";
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

type Props = {
  icon: LucideIcon;
  kind: string;
  title: ReactNode;
  about?: ReactNode;
  active?: boolean;
  actions: ReactNode;
  children?: ReactNode;
};

/** One thing that waits: what it is, what can be done about it, and more if there is more to see. */
export function Card({ icon: Icon, kind, title, about, active, actions, children }: Props) {
  return (
    <article className={clsx("rounded-lg border bg-panel px-4 py-3", active ? "border-accent" : "border-line")}>
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-[1_1_18rem]">
          <p className="flex items-center gap-1.5 text-xs text-faint">
            <Icon aria-hidden className="size-3.5" /> {kind}
          </p>
          <h2 className="mt-0.5 font-medium">{title}</h2>
          {about && <p className="text-sm text-soft">{about}</p>}
        </div>
        <div className="flex flex-wrap gap-1.5">{actions}</div>
      </div>
      {children && <div className="mt-3 border-t border-line pt-3">{children}</div>}
    </article>
  );
}
