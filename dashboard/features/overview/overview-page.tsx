"use client";

import { useQuery } from "@tanstack/react-query";
import { Loaded } from "@/components/loaded";
import { Panel } from "@/components/ui/panel";
import { NoteRows } from "@/features/notes/note-row";
import { FirstRun } from "@/features/overview/first-run";
import { Growth, sum } from "@/features/overview/growth";
import { Headline } from "@/features/overview/headline";
import { LearnedLast } from "@/features/overview/learned-last";
import { ask } from "@/lib/api";
import type { Overview } from "@/lib/types";

/** At a glance: what waits, is my memory healthy, in sync, growing; what did each machine learn last. */
export function OverviewPage() {
  return (
    <Loaded query={useQuery(ask.overview())}>
      {(data) => (data.total === 0 ? <FirstRun data={data} /> : <Known data={data} />)}
    </Loaded>
  );
}

function Known({ data }: { data: Overview }) {
  return (
    <div className="space-y-6">
      <Headline data={data} />
      <div className="grid gap-5 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        {data.growth.some(sum) && <Growth weeks={data.growth} />}
        <LearnedLast machines={data.machines} />
        <Panel title="Latest notes" flush className="lg:col-span-2">
          <NoteRows notes={data.recent} />
        </Panel>
      </div>
    </div>
  );
}
