"use client";

import { Empty } from "@/components/empty";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { HeldCard } from "@/features/conflicts/held-card";
import { useConflicts } from "@/features/conflicts/use-conflicts";

/** Notes on which two machines disagree; each is settled by itself, and nothing else waits for it. */
export function Conflicts() {
  return (
    <>
      <PageHeader
        title="Conflicts"
        about="Both sides changed the same lines. Your version is in the note; theirs is kept beside it until you choose."
      />
      <Loaded
        query={useConflicts()}
        isEmpty={(data) => data.held.length === 0}
        empty={<Empty title="No note is held.">When two machines change the same lines of one note, it waits here.</Empty>}
      >
        {(data) => (
          <div className="space-y-6">
            {data.held.map((held) => (
              <div key={held.id} id={held.id}>
                <HeldCard held={held} />
              </div>
            ))}
          </div>
        )}
      </Loaded>
    </>
  );
}
