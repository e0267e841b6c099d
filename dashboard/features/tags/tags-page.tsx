"use client";

import { useState } from "react";
import { Empty } from "@/components/empty";
import Link from "@/components/link";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { Button } from "@/components/ui/button";
import { RenameTags } from "@/features/tags/rename-tags";
import { browseLink } from "@/lib/filter";
import { plural } from "@/lib/format";
import { useFacets } from "@/lib/queries";
import type { Count } from "@/lib/schemas/note";

/** Every tag with its notes; rename one, or merge several. */
export function TagsPage() {
  const query = useFacets();
  const [chosen, setChosen] = useState<string[]>([]);
  const [renaming, setRenaming] = useState<string[]>([]);
  const tags = query.data?.tags;
  const toggle = (name: string) =>
    setChosen((before) => (before.includes(name) ? before.filter((each) => each !== name) : [...before, name]));
  return (
    <>
      <PageHeader title="Tags" about={tags && `${plural(tags.length, "tag")}, the most used first`}>
        <Button look="primary" disabled={chosen.length < 2} onClick={() => setRenaming(chosen)}>
          Merge {chosen.length > 1 ? plural(chosen.length, "tag") : "selected tags"}
        </Button>
      </PageHeader>
      <Loaded query={query} isEmpty={(facets) => facets.tags.length === 0} empty={<Empty title="No note has a tag yet." />}>
        {(facets) => (
          <ul className="overflow-hidden rounded-lg border border-line bg-panel sm:columns-2 sm:gap-0">
            {facets.tags.map((tag) => (
              <TagRow key={tag.name} tag={tag} chosen={chosen.includes(tag.name)} onToggle={() => toggle(tag.name)} onRename={() => setRenaming([tag.name])} />
            ))}
          </ul>
        )}
      </Loaded>
      {renaming.length > 0 && (
        <RenameTags
          names={renaming}
          onClose={() => setRenaming([])}
          onDone={() => {
            setRenaming([]);
            setChosen([]);
          }}
        />
      )}
    </>
  );
}

type RowProps = { tag: Count; chosen: boolean; onToggle: () => void; onRename: () => void };

function TagRow({ tag, chosen, onToggle, onRename }: RowProps) {
  return (
    <li className="flex break-inside-avoid items-center gap-3 border-b border-line px-4 py-1.5">
      <input type="checkbox" aria-label={`Select ${tag.name}`} checked={chosen} onChange={onToggle} className="size-4 accent-accent" />
      <Link href={browseLink({ tag: tag.name })} className="min-w-0 flex-1 hover:underline">
        {tag.name}
      </Link>
      <span className="text-sm text-faint tabular-nums">{plural(tag.count, "note")}</span>
      <Button small look="quiet" aria-label={`Rename ${tag.name}`} onClick={onRename}>
        Rename
      </Button>
    </li>
  );
}
