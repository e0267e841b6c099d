"use client";

import { Empty } from "@/components/empty";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { ReflectButton } from "@/features/review/reflect-button";
import { Queue } from "@/features/review/queue";
import { plural } from "@/lib/format";
import { useReview } from "@/lib/queries";

/** What a model or an import wrote, until a person has reviewed it. */
export function Review() {
  const query = useReview();
  const waiting = query.data?.pages[0]?.total;
  return (
    <>
      <PageHeader
        title="Review"
        about={waiting ? `${plural(waiting, "note")} written by reflection or import, not reviewed yet.` : "Notes that have not been reviewed yet."}
      >
        <ReflectButton />
      </PageHeader>
      <Loaded
        query={query}
        isEmpty={(data) => data.pages[0]?.total === 0}
        empty={<Empty title="Nothing to review.">Notes written by reflection or import appear here for you to keep, edit or delete.</Empty>}
      >
        {(data) => (
          <Queue
            notes={data.pages.flatMap((page) => page.notes)}
            more={query.hasNextPage && !query.isFetchingNextPage}
            loadMore={query.fetchNextPage}
          />
        )}
      </Loaded>
    </>
  );
}
