"use client";

import clsx from "clsx";
import Link from "@/components/link";
import { usePathname } from "next/navigation";
import { PLACES, type Place } from "@/features/shell/places";
import { count } from "@/lib/format";
import { useHealth, useStatus } from "@/lib/queries";
import type { Check } from "@/lib/schemas/health";

/** All pages; those with something to do show a count. */
export function NavLinks() {
  const here = usePathname();
  const { data } = useStatus();
  const states = useHealth().data?.checks.map((check) => check.state);
  const waiting: Record<string, number | undefined> = {
    "/review/": data?.review,
    "/conflicts/": data?.held,
  };
  return (
    <ul className="space-y-px">
      {PLACES.map((place) => (
        <li key={place.href}>
          <NavLink place={place} current={isHere(place, here)} waiting={waiting[place.href] ?? 0} worst={place.href === "/doctor/" ? worstOf(states) : "ok"} />
        </li>
      ))}
    </ul>
  );
}

type NavLinkProps = { place: Place; current: boolean; waiting: number; worst: Check["state"] };

function NavLink({ place, current, waiting, worst }: NavLinkProps) {
  return (
    <Link
      href={place.href}
      aria-current={current ? "page" : undefined}
      className={clsx(
        "flex items-center gap-2.5 rounded-md px-2 py-1.5 text-sm",
        current ? "bg-panel font-medium text-ink shadow-[0_0_0_1px_var(--line)]" : "text-soft hover:bg-panel/70 hover:text-ink",
      )}
    >
      <place.icon aria-hidden className={clsx("size-4", current ? "text-accent" : "text-faint")} />
      {place.name}
      {waiting > 0 && (
        <span className="ml-auto rounded-full bg-accent-wash px-1.5 text-xs font-medium text-accent tabular-nums">
          {count(waiting)}
          <span className="sr-only"> waiting</span>
        </span>
      )}
      {worst !== "ok" && (
        <span className={clsx("mr-1 ml-auto size-1.5 rounded-full", worst === "bad" ? "bg-bad" : "bg-warn")}>
          <span className="sr-only">needs attention</span>
        </span>
      )}
    </Link>
  );
}

function worstOf(states: Check["state"][] = []): Check["state"] {
  return states.includes("bad") ? "bad" : states.includes("warn") ? "warn" : "ok";
}

export function isHere(place: Place, path: string): boolean {
  if (place.href === "/browse/" && path.startsWith("/note")) return true;
  return place.href === "/" ? path === "/" : path.startsWith(place.href.slice(0, -1));
}
