"use client";

import { Eye } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { Empty } from "@/components/empty";
import Link from "@/components/link";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { Button, buttonClass } from "@/components/ui/button";
import { SessionPage } from "@/features/sessions/session-page";
import { SessionRow } from "@/features/sessions/session-row";
import { previewLink, projectLink } from "@/lib/filter";
import { dayOf, plural } from "@/lib/format";
import { groupBy } from "@/lib/group";
import { useSessions } from "@/lib/queries";
import type { SessionRow as Session } from "@/lib/schemas/session";

const NOTHING = (
  <Empty title="No sessions yet.">
    A session appears here when Claude Code starts one with our hooks. <code className="font-mono text-xs">anamnesis init</code> sets
    them up.
  </Empty>
);

/** What sessions were about and what they were told, day by day; or one session. */
export function SessionsPage() {
  const asked = useSearchParams();
  const id = asked.get("id");
  return id ? <SessionPage key={id} id={id} /> : <Timeline project={asked.get("project") ?? ""} />;
}

function Timeline({ project }: { project: string }) {
  const query = useSessions(project);
  const total = query.data?.pages[0]?.total;
  return (
    <>
      <PageHeader title="Sessions" about={total !== undefined && <About total={total} project={project} />}>
        <Link href={previewLink(project || "global")} className={buttonClass()}>
          <Eye aria-hidden /> What would Claude be told now?
        </Link>
      </PageHeader>
      <Loaded query={query} isEmpty={(data) => data.pages[0]?.total === 0} empty={NOTHING}>
        {(data) => (
          <>
            <Days sessions={data.pages.flatMap((page) => page.sessions)} />
            {query.hasNextPage && (
              <Button className="mt-4" disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                Show older sessions
              </Button>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

function About({ total, project }: { total: number; project: string }) {
  if (!project) return `${plural(total, "session")}, the latest first`;
  return (
    <>
      {plural(total, "session")} of{" "}
      <Link href={projectLink(project)} className="text-accent underline">
        {project}
      </Link>
      .{" "}
      <Link href="/sessions/" className="text-accent underline">
        Show all
      </Link>
    </>
  );
}

function Days({ sessions }: { sessions: Session[] }) {
  return (
    <div className="space-y-5">
      {[...groupBy(sessions, (session) => dayOf(session.at))].map(([day, found]) => (
        <section key={day} aria-label={day}>
          <h2 className="mb-1.5 text-sm font-semibold text-soft">{day}</h2>
          <ul className="overflow-hidden rounded-lg border border-line bg-panel [&>li:last-child>a]:border-0">
            {found.map((session) => (
              <li key={session.id}>
                <SessionRow session={session} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
