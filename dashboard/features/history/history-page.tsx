"use client";

import { useRouter, useSearchParams } from "next/navigation";
import { Empty } from "@/components/empty";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { Button } from "@/components/ui/button";
import { Tabs } from "@/components/ui/tabs";
import { CommitList } from "@/features/history/commit-list";
import { CommitPage } from "@/features/history/commit-page";
import { RemovedNotes } from "@/features/history/removed-notes";
import { useStoreHistory } from "@/features/history/use-history";

/** The store's git log, and one commit of it when the address names one. */
export function HistoryPage() {
  const asked = useSearchParams();
  const router = useRouter();
  const commit = asked.get("commit");
  if (commit) return <CommitPage commit={commit} />;
  return (
    <>
      <PageHeader title="History" about="What changed in the store, on which machine, newest first." />
      <Tabs
        label="Parts of the history"
        value={asked.get("view") === "deleted" ? "deleted" : "changes"}
        onChange={(view) => router.push(view === "deleted" ? "/history/?view=deleted" : "/history/", { scroll: false })}
        tabs={[
          { value: "changes", label: "Changes", content: <Log /> },
          { value: "deleted", label: "Deleted notes", content: <RemovedNotes /> },
        ]}
      />
    </>
  );
}

function Log() {
  const query = useStoreHistory();
  return (
    <Loaded
        query={query}
        isEmpty={(data) => data.pages[0]?.commits.length === 0}
        empty={<Empty title="Nothing has been committed yet.">The first sync makes the first commit.</Empty>}
      >
        {(data) => (
          <>
            <CommitList commits={data.pages.flatMap((page) => page.commits)} />
            {query.hasNextPage && (
              <Button className="mt-4" disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                Show older
              </Button>
            )}
          </>
        )}
    </Loaded>
  );
}
