"use client";

import clsx from "clsx";
import Link from "@/components/link";
import { growthClaim, healthClaim, syncClaim, type Claim } from "@/features/overview/claims";
import { ago, count, plural } from "@/lib/format";
import { useHealth, useMachines } from "@/lib/queries";
import type { Overview } from "@/lib/schemas/health";

const COLOURS = { good: "text-good", warn: "text-warn", bad: "text-bad", off: "text-soft" };

/** The state of the memory as one sentence; each part links to the page that shows why. */
export function Verdict({ data }: { data: Overview }) {
  const health = useHealth();
  const machines = useMachines().data?.machines.length;
  return (
    <header>
      <h1 className="max-w-3xl font-serif text-2xl leading-tight font-medium tracking-[-0.015em]">
        <Link href="/browse/" className="hover:underline">
          {plural(data.total, "note")}
        </Link>{" "}
        from{" "}
        <Link href="/machines/" className="hover:underline">
          {machines === undefined ? "your machines" : plural(machines, "machine")}
        </Link>
        : <Said claim={healthClaim(data, health.data?.checks)} />, <Said claim={syncClaim(data)} />, and{" "}
        <Said claim={growthClaim(data)} />.
      </h1>
      <p className="mt-2 text-sm text-faint">
        {data.superseded > 0 && `${plural(data.total, "note")}, ${count(data.superseded)} superseded, in `}
        {data.root} on {data.machine_id}
        {data.last_capture && `, last session captured ${ago(data.last_capture)}`}
      </p>
    </header>
  );
}

function Said({ claim }: { claim: Claim }) {
  return (
    <Link href={claim.href} className={clsx("italic hover:underline", COLOURS[claim.state])}>
      {claim.text}
    </Link>
  );
}
