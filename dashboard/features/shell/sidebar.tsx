"use client";

import { Search } from "lucide-react";
import Link from "@/components/link";
import { Kbd } from "@/components/ui/kbd";
import { NavLinks } from "@/features/shell/nav-links";
import { overlay } from "@/features/shell/overlays";
import { ThemeChoice } from "@/features/shell/theme-choice";
import { SyncButton } from "@/features/sync/sync-button";

export function Sidebar() {
  return (
    <aside className="sticky top-0 hidden h-dvh flex-col gap-5 border-r border-line bg-sunken px-3 py-5 md:flex">
      <Link href="/" className="px-2 font-serif text-xl leading-none font-medium tracking-[-0.015em]">
        Anamnesis
      </Link>
      <button
        type="button"
        onClick={() => overlay.set("palette")}
        className="flex h-9 items-center gap-2 rounded-md border border-line bg-panel px-2.5 text-sm text-faint hover:border-edge">
        <Search aria-hidden className="size-4" /> Search
        <span className="ml-auto">
          <Kbd>/</Kbd>
        </span>
      </button>
      <nav aria-label="Pages" className="flex-1 overflow-y-auto">
        <NavLinks />
      </nav>
      <SyncButton />
      <ThemeChoice />
    </aside>
  );
}
