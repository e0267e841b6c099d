"use client";

import { Lock, WifiOff } from "lucide-react";
import { Phrase } from "@/components/phrase";
import { connection } from "@/lib/http";

const REASONS = {
  locked:
    "The dashboard was restarted. Open the new address that it printed in another tab, and this page works again.",
  away: "The dashboard server does not answer. This page may be out of date. Start the server again with `anamnesis dashboard`.",
};

/** Says why the page has lost its server, and what to do. */
export function OfflineBar() {
  const now = connection.use();
  if (now === "open") return null;
  const Icon = now === "locked" ? Lock : WifiOff;
  return (
    <p
      role="alert"
      className="flex items-center gap-2 border-b border-warn/40 bg-episodic/10 px-4 py-2 text-sm md:px-8">
      <Icon aria-hidden className="size-4 shrink-0 text-warn" />
      <span>
        <Phrase text={REASONS[now]} />
      </span>
    </p>
  );
}
