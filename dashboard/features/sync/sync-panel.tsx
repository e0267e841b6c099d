"use client";

import clsx from "clsx";
import type { ReactNode } from "react";
import Link from "@/components/link";
import { Moment } from "@/components/moment";
import { Prose } from "@/components/prose";
import { Panel } from "@/components/ui/panel";
import { syncSummary } from "@/features/sync/sync-summary";
import type { SyncState } from "@/lib/types";

const WORDS = { good: "text-good", warn: "text-warn", bad: "text-bad", off: "text-soft" };

/** Sync in figures. */
export function SyncPanel({ sync }: { sync: SyncState }) {
  const { state, short } = syncSummary(sync);
  return (
    <Panel
      title="Sync with the remote"
      action={<span className={clsx("text-sm font-medium", WORDS[state])}>{short}</span>}>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 text-sm lg:grid-cols-[minmax(0,2fr)_1fr_1fr]">
        <Fact name="Remote" wide>
          {sync.remote ? (
            <code className="font-mono text-xs">{sync.remote}</code>
          ) : (
            <>
              none yet:{" "}
              <Link href="/settings/?view=settings#remote" className="text-accent underline">
                choose one
              </Link>
            </>
          )}
        </Fact>
        <Fact name="Last sync">{sync.last_sync ? <Moment at={sync.last_sync} /> : "never"}</Fact>
        <Fact name="Here and not there">{sync.ahead > 0 || sync.dirty ? "some changes" : "nothing"}</Fact>
      </dl>
      {sync.failure && (
        <p className="mt-3 text-sm text-warn">
          <Prose text={sync.failure} />
        </p>
      )}
    </Panel>
  );
}

function Fact({ name, wide, children }: { name: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={clsx("min-w-0", wide && "max-lg:col-span-2")}>
      <dt className="text-xs text-faint">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
