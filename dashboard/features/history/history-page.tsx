"use client";

import { useSearchParams } from "next/navigation";
import { Empty } from "@/components/empty";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { Button } from "@/components/ui/button";
import { CommitList } from "@/features/history/commit-list";
import { CommitPage } from "@/features/history/commit-page";
import { useStoreHistory } from "@/features/history/use-history";

/** The store's git log, and one commit of it when the address names one. */
export function HistoryPage() {
  const commit = useSearchParams().get("commit");
  return commit ? <CommitPage commit={commit} /> : <Log />;
}

function Log() {
  const query = useStoreHistory();
  return (
    <>
      <PageHeader title="History" about="What changed in the store, on which machine, newest first." />
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
    </>
  );
}
