"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Empty } from "@/components/empty";
import Link from "@/components/link";
import { List, useSelection } from "@/components/list";
import { Loaded } from "@/components/loaded";
import { Ask } from "@/components/ui/ask";
import { Button } from "@/components/ui/button";
import { Field, Input } from "@/components/ui/field";
import { useReport } from "@/features/notes/report";
import { useAct } from "@/lib/act";
import { api, ask } from "@/lib/api";
import { notesLink } from "@/lib/filter";
import { plural } from "@/lib/format";
import { useGo } from "@/lib/go";

const height = () => 38;

/** Every tag with its notes; rename one, or merge several. */
export function TagList() {
  const router = useGo();
  const query = useQuery(ask.facets());
  const selection = useSelection();
  const [renaming, setRenaming] = useState<string[]>([]);
  const done = () => {
    setRenaming([]);
    selection.clear();
  };
  return (
    <>
      <p className="mb-3 flex min-h-8 items-center gap-3 text-sm text-faint">
        {query.data?.tags.length ? `${plural(query.data.tags.length, "tag")}, the most used first` : ""}
        {selection.ids.size > 0 && (
          <Button small look="primary" onClick={() => setRenaming([...selection.ids])}>
            {selection.ids.size > 1 ? `Merge ${plural(selection.ids.size, "tag")}` : "Rename the tag"}
          </Button>
        )}
      </p>
      <Loaded
        query={query}
        isEmpty={(facets) => facets.tags.length === 0}
        empty={<Empty title="No note has a tag yet." />}>
        {(facets) => (
          <List
            items={facets.tags.map((tag) => ({ id: tag.name, title: tag.name, count: tag.count }))}
            label="Tags"
            estimate={height}
            selection={selection}
            open={(tag) => router.push(notesLink({ tags: tag.id }))}
            keys={(tag) => ({ r: { does: "Rename the tag", run: () => setRenaming([tag.id]) } })}>
            {(tag) => (
              <Link
                href={notesLink({ tags: tag.id })}
                className="flex justify-between gap-3 border-b border-line py-2 pr-4 pl-1 outline-offset-[-2px] hover:bg-sunken">
                <span className="min-w-0 font-medium">{tag.id}</span>
                <span className="text-sm text-faint tabular-nums">{plural(tag.count, "note")}</span>
              </Link>
            )}
          </List>
        )}
      </Loaded>
      {renaming.length > 0 && <RenameTags names={renaming} onClose={() => setRenaming([])} onDone={done} />}
    </>
  );
}

type Props = { names: string[]; onClose: () => void; onDone: () => void };

/** One new name for one or more tags; if the name exists, they are merged into it. */
function RenameTags({ names, onClose, onDone }: Props) {
  const report = useReport();
  const [name, setName] = useState(names[0] ?? "");
  const taken = useQuery(ask.facets()).data?.tags.some((tag) => tag.name === name.trim() && !names.includes(tag.name));
  const rename = useAct(() => api.renameTags(names, name), {
    quiet: true,
    then: (answer) => {
      report(answer, "Changed");
      onDone();
    },
  });
  const merging = names.length > 1;
  const unchanged = !merging && name.trim() === names[0];
  return (
    <Ask
      title={merging ? "Merge tags" : "Rename a tag"}
      about={
        merging
          ? `Every note with ${names.join(", ")} gets one tag instead.`
          : `Every note with ${names[0]} gets the new name.`
      }
      confirm={merging ? "Merge" : "Rename"}
      disabled={!name.trim() || unchanged}
      act={rename}
      onClose={onClose}>
      <Field label="New name">
        <Input value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <p role="status" className="text-xs text-faint">
        {taken && "This tag already exists: the two will be merged."}
      </p>
    </Ask>
  );
}
