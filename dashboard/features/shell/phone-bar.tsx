"use client";

import clsx from "clsx";
import { Menu as MenuIcon, Plus, Search } from "lucide-react";
import Link from "@/components/link";
import { usePathname } from "next/navigation";
import { useState } from "react";
import { Dialog } from "@/components/ui/dialog";
import { NavLinks, useWaiting } from "@/features/shell/nav-links";
import { overlay } from "@/features/shell/overlays";
import { isHere, PLACES } from "@/features/shell/places";
import { ThemeChoice } from "@/features/shell/theme-choice";
import { SyncButton } from "@/features/sync/sync-button";

const TABS = PLACES.slice(0, 4);

/** Navigation for a narrow screen: a bar at the top, the main pages at the bottom, the rest behind a button. */
export function PhoneBar() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <header className="sticky top-0 z-20 flex items-center gap-1 border-b border-line bg-paper/95 px-4 py-2 backdrop-blur md:hidden">
        <Link href="/" className="mr-auto font-serif text-xl font-medium">
          Anamnesis
        </Link>
        <button
          type="button"
          aria-label="Search"
          onClick={() => overlay.set("palette")}
          className="grid size-10 place-items-center">
          <Search aria-hidden className="size-5" />
        </button>
        <Link href="/note/new/" aria-label="New note" className="grid size-10 place-items-center">
          <Plus aria-hidden className="size-5" />
        </Link>
      </header>
      <ThumbBar onMore={() => setOpen(true)} />
      {open && (
        <Dialog title="All pages" onClose={() => setOpen(false)} className="md:hidden">
          {/* Choosing a page closes the list; the links themselves carry the keyboard. */}
          {/* eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
          <div
            className="space-y-4 p-4"
            onClick={(event) => event.target instanceof HTMLElement && event.target.closest("a") && setOpen(false)}>
            <NavLinks />
            <SyncButton />
            <ThemeChoice />
          </div>
        </Dialog>
      )}
    </>
  );
}

function ThumbBar({ onMore }: { onMore: () => void }) {
  const here = usePathname();
  const waiting = useWaiting();
  const look = "flex flex-1 flex-col items-center gap-0.5 py-2 text-xs";
  return (
    <nav
      aria-label="Main pages"
      className="fixed inset-x-0 bottom-0 z-20 flex border-t border-line bg-panel pb-[env(safe-area-inset-bottom)] md:hidden">
      {TABS.map((place) => {
        const current = isHere(place, here);
        return (
          <Link
            key={place.href}
            href={place.href}
            aria-current={current ? "page" : undefined}
            className={clsx(look, current ? "font-medium text-accent" : "text-soft")}>
            <span className="relative">
              <place.icon aria-hidden className="size-5" />
              {place.href === "/inbox/" && waiting > 0 && (
                <span className="absolute -top-0.5 -right-1 size-2 rounded-full bg-accent">
                  <span className="sr-only">{waiting} waiting</span>
                </span>
              )}
            </span>
            {place.name}
          </Link>
        );
      })}
      <button type="button" onClick={onMore} className={clsx(look, "text-soft")}>
        <MenuIcon aria-hidden className="size-5" />
        More
      </button>
    </nav>
  );
}
