"use client";

import { WifiOff } from "lucide-react";
import { useOnline } from "@/lib/live";

export function OfflineBar() {
  if (useOnline()) return null;
  return (
    <p role="alert" className="flex items-center gap-2 border-b border-warn/40 bg-episodic/10 px-4 py-2 text-[0.86rem] md:px-8">
      <WifiOff aria-hidden className="size-4 shrink-0 text-warn" />
      The dashboard server does not answer. What you see may be old; start it again with
      <code className="font-mono text-[0.8rem]">anamnesis dashboard</code>
    </p>
  );
}
