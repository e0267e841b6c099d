"use client";

import { Help } from "@/features/shell/help";
import { closeOverlay, openHelp, openPalette, useOverlay } from "@/features/shell/overlays";
import { Palette } from "@/features/shell/palette";
import { Purge } from "@/features/shell/purge";
import { PLACES } from "@/features/shell/places";
import { useGo } from "@/lib/go";
import { useShortcuts } from "@/lib/keys";

/** The shortcuts that work on every page, and the overlays they open. */
export function Keyboard() {
  const router = useGo();
  const overlay = useOverlay();
  const jumps = PLACES.map((place) => [`g ${place.key}`, () => router.push(place.href)] as const);
  useShortcuts({
    ...Object.fromEntries(jumps),
    "/": openPalette,
    "mod+k": openPalette,
    "?": openHelp,
    n: () => router.push("/note/new/"),
  });
  if (overlay === "palette") return <Palette onClose={closeOverlay} />;
  if (overlay === "purge") return <Purge onClose={closeOverlay} />;
  return overlay === "help" ? <Help onClose={closeOverlay} /> : null;
}
