"use client";

import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import Link from "@/components/link";
import { Button, buttonClass, type Look } from "@/components/ui/button";
import { useShortcuts } from "@/lib/keys";

/** Something to do: a button, or a link if it has an `href`; and its key while the card is active. */
export type Act = Pick<Look, "look"> & {
  label: string;
  key?: string;
  icon?: LucideIcon;
  href?: string;
  run?: () => void;
  busy?: boolean;
};

/** What the list tells a card: whether it is the active one, and the box that selects it. */
export type Place = { active: boolean; tick?: ReactNode };

type Props = {
  place: Place;
  icon: LucideIcon;
  kind: string;
  title: ReactNode;
  about?: ReactNode;
  acts: Act[];
  dialog?: ReactNode;
  children?: ReactNode;
};

/** One thing that waits: what it is, what can be done about it, and more if there is more to see. */
export function Card({ place, icon: Icon, kind, title, about, acts, dialog, children }: Props) {
  return (
    <article className="rounded-lg border border-line bg-panel px-4 py-3 in-data-active:border-accent">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-[1_1_18rem]">
          <p className="flex items-center gap-1.5 text-xs text-faint">
            {place.tick}
            <Icon aria-hidden className="size-3.5" /> {kind}
          </p>
          <h2 className="mt-0.5 font-medium">{title}</h2>
          {about && <p className="text-sm text-soft">{about}</p>}
        </div>
        <Acts acts={acts} active={place.active} small />
      </div>
      {children && <div className="mt-3 border-t border-line pt-3">{children}</div>}
      {dialog}
    </article>
  );
}

export function Acts({ acts, active, small }: { acts: Act[]; active: boolean; small?: boolean }) {
  const withKeys = active ? acts.filter((act) => act.key && act.run) : [];
  useShortcuts(
    "In the inbox",
    Object.fromEntries(withKeys.map(({ key = "", label, run }) => [key, { does: label, run: () => run?.() }])),
  );
  return (
    <div className="flex flex-wrap gap-1.5">
      {acts.map(({ label, icon: Icon, href, look, run, busy }) =>
        href ? (
          <Link key={label} href={href} className={buttonClass({ small, look })}>
            {Icon && <Icon aria-hidden />} {label}
          </Link>
        ) : (
          <Button key={label} small={small} look={look} disabled={busy} onClick={run}>
            {Icon && <Icon aria-hidden />} {label}
          </Button>
        ),
      )}
    </div>
  );
}
