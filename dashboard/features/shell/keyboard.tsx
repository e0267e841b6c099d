"use client";

import { useEffect } from "react";
import { Help } from "@/features/shell/help";
import { overlay } from "@/features/shell/overlays";
import { Palette } from "@/features/shell/palette";
import { PLACES } from "@/features/shell/places";
import { keepFocus } from "@/lib/focus";
import { useGo } from "@/lib/go";
import { listen, useShortcuts } from "@/lib/keys";

/** The shortcuts that work on every page, and the overlays they open. */
export function Keyboard() {
  const router = useGo();
  const shown = overlay.use();
  const close = () => overlay.set(null);
  useEffect(listen, []);
  useEffect(keepFocus, []);
  const open = (name: "palette" | "help") => () => overlay.set(name);
  useShortcuts("Anywhere", {
    "/": { does: "Search notes, pages, commands", run: open("palette") },
    "mod+k": { does: "The same, even while typing", run: open("palette") },
    n: { does: "New note", run: () => router.push("/note/new/") },
    "?": { does: "This help", run: open("help") },
  });
  const jumps = PLACES.map(
    ({ key, name, href }) => [`g ${key}`, { does: name, run: () => router.push(href) }] as const,
  );
  useShortcuts("Go to", Object.fromEntries(jumps));
  if (shown === "palette") return <Palette onClose={close} />;
  return shown === "help" ? <Help onClose={close} /> : null;
}
