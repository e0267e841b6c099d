"use client";

import { Loaded } from "@/components/loaded";
import { Panel } from "@/components/ui/panel";
import { NoteRow } from "@/features/notes/note-row";
import { Attention } from "@/features/overview/attention";
import { FirstRun } from "@/features/overview/first-run";
import { Growth } from "@/features/overview/growth";
import { LearnedLast } from "@/features/overview/learned-last";
import { Projects } from "@/features/overview/projects";
import { Verdict } from "@/features/overview/verdict";
import { useOverview } from "@/lib/queries";
import type { Overview } from "@/lib/schemas/health";

/** At a glance: is my memory healthy, in sync, growing; what did each machine learn last. */
export function OverviewPage() {
  return <Loaded query={useOverview()}>{(data) => (data.total === 0 ? <FirstRun data={data} /> : <Known data={data} />)}</Loaded>;
}

function Known({ data }: { data: Overview }) {
  return (
    <div className="space-y-6">
      <Verdict data={data} />
      <Attention data={data} />
      <div className="grid gap-5 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <Growth weeks={data.growth} counts={data.by_type} />
        <LearnedLast />
        <Panel title="Latest notes" flush>
          <ul className="-mb-px">
            {data.recent.map((note) => (
              <li key={note.id}>
                <NoteRow note={note} />
              </li>
            ))}
          </ul>
        </Panel>
        <Projects counts={data.by_project} />
      </div>
    </div>
  );
}
