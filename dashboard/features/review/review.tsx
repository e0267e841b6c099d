"use client";

import { Empty } from "@/components/empty";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { ReflectButton } from "@/features/review/reflect-button";
import { Queue } from "@/features/review/queue";
import { useReview } from "@/features/review/use-review";
import { plural } from "@/lib/format";

/** What a model or an import wrote, until a person has looked at it. */
export function Review() {
  const query = useReview();
  const waiting = query.data?.pages[0]?.total;
  return (
    <>
      <PageHeader
        title="Review"
        about={waiting ? `${plural(waiting, "note")} written by reflection or import, not yet looked at.` : "Notes that no person has looked at yet."}
      >
        <ReflectButton />
      </PageHeader>
      <Loaded
        query={query}
        isEmpty={(data) => data.pages[0]?.total === 0}
        empty={<Empty title="Nothing waits for you.">Notes written by reflection or import come here, to be kept, edited or deleted.</Empty>}
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
