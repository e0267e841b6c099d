"use client";

import { Empty } from "@/components/empty";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { HeldCard } from "@/features/conflicts/held-card";
import { useConflicts } from "@/lib/queries";

/** Notes on which two machines disagree; each is resolved separately, and nothing else waits for it. */
export function Conflicts() {
  const query = useConflicts();
  return (
    <>
      <PageHeader
        title="Conflicts"
        about={query.data?.held.length ? "Both sides changed the same lines. The note has your version; theirs is saved until you choose." : ""}
      />
      <Loaded
        query={query}
        isEmpty={(data) => data.held.length === 0}
        empty={<Empty title="No conflicts.">When two machines change the same lines of one note, it is held here until you choose.</Empty>}
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
