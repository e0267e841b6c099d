"use client";

import clsx from "clsx";
import { Fact, Facts } from "@/components/facts";
import Link from "@/components/link";
import { Moment } from "@/components/moment";
import { Prose } from "@/components/prose";
import { Panel } from "@/components/ui/panel";
import { COLOURS, syncSummary } from "@/features/sync/sync-summary";
import type { SyncState } from "@/lib/types";

/** Sync in figures. */
export function SyncPanel({ sync }: { sync: SyncState }) {
  const { state, short } = syncSummary(sync);
  return (
    <Panel
      title="Sync with the remote"
      action={<span className={clsx("text-sm font-medium", COLOURS[state])}>{short}</span>}>
      <Facts>
        <Fact name="Remote">
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
      </Facts>
      {sync.failure && (
        <p className="mt-3 text-sm text-warn">
          <Prose text={sync.failure} />
        </p>
      )}
    </Panel>
  );
}
