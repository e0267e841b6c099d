"use client";

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { usePathname } from "next/navigation";
import Link from "@/components/link";
import { worstOf } from "@/features/health/findings";
import { isHere, PLACES, type Place } from "@/features/shell/places";
import { ask } from "@/lib/api";
import { drafts } from "@/lib/drafts";
import { count } from "@/lib/format";

/** All pages; the inbox shows how much is in it, and the settings whether the health needs attention. */
export function NavLinks() {
  const here = usePathname();
  const waiting = useWaiting();
  const worst = worstOf(useQuery(ask.health()).data?.checks ?? [])?.state ?? "ok";
  return (
    <ul className="space-y-px">
      {PLACES.map((place) => (
        <li key={place.href}>
          <NavLink
            place={place}
            current={isHere(place, here)}
            waiting={place.href === "/inbox/" ? waiting : 0}
            worst={place.href === "/settings/" ? worst : "ok"}
          />
        </li>
      ))}
    </ul>
  );
}

/** How much waits for the user: what the server counts, and the drafts in this browser. */
export function useWaiting(): number {
  return (useQuery(ask.status()).data?.waiting ?? 0) + drafts.use().length;
}

type NavLinkProps = { place: Place; current: boolean; waiting: number; worst: "ok" | "warn" | "bad" };

function NavLink({ place, current, waiting, worst }: NavLinkProps) {
  return (
    <Link
      href={place.href}
      aria-current={current ? "page" : undefined}
      className={clsx(
        "flex items-center gap-2.5 rounded-md px-2 py-1.5 text-sm",
        current
          ? "bg-panel font-medium text-ink shadow-[0_0_0_1px_var(--line)]"
          : "text-soft hover:bg-panel/70 hover:text-ink",
      )}>
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
