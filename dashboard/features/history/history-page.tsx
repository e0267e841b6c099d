"use client";

import { useSearchParams } from "next/navigation";
import { Empty } from "@/components/empty";
import Link from "@/components/link";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { Button } from "@/components/ui/button";
import { Tabs } from "@/components/ui/tabs";
import { CommitPage } from "@/features/history/commit-page";
import { Diary } from "@/features/history/diary";
import { RemovedNotes } from "@/features/history/removed-notes";
import { dayName } from "@/lib/format";
import { useGo } from "@/lib/go";
import { useStoreHistory } from "@/lib/queries";

/** The store's changes as a diary, the deleted notes, or the commit that the URL names. */
export function HistoryPage() {
  const asked = useSearchParams();
  const router = useGo();
  const commit = asked.get("commit");
  if (commit) return <CommitPage commit={commit} />;
  return (
    <>
      <PageHeader title="History" about="What was learned and changed, day by day and machine by machine." />
      <Tabs
        label="Parts of the history"
        value={asked.get("view") === "deleted" ? "deleted" : "changes"}
        onChange={(view) => router.push(view === "deleted" ? "/history/?view=deleted" : "/history/", { scroll: false })}
        tabs={[
          { value: "changes", label: "Changes", content: <Log until={asked.get("until") ?? ""} /> },
          { value: "deleted", label: "Deleted notes", content: <RemovedNotes /> },
        ]}
      />
    </>
  );
}

function Log({ until }: { until: string }) {
  const query = useStoreHistory(until);
  return (
    <>
      {until && (
        <p className="mb-4 text-sm text-soft">
          Up to {dayName(until)}.{" "}
          <Link href="/history/" className="text-accent underline">
            Show the latest
          </Link>
        </p>
      )}
    <Loaded
        query={query}
        isEmpty={(data) => data.pages[0]?.commits.length === 0}
        empty={<Empty title="Nothing has been committed yet.">The first sync makes the first commit.</Empty>}
      >
        {(data) => (
          <>
            <Diary commits={data.pages.flatMap((page) => page.commits)} />
            {query.hasNextPage && (
              <Button className="mt-4" disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                Show older
              </Button>
            )}
          </>
        )}
    </Loaded>
    </>
  );
}
