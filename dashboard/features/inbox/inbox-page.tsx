"use client";

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ChoiceChips } from "@/components/chips";
import { Empty } from "@/components/empty";
import { List, useSelection } from "@/components/list";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { HeldCard } from "@/features/inbox/held-card";
import type { Place } from "@/features/inbox/card";
import { CredentialCard, DraftCard, DuplicateCard, RuleCard, UnreadableCard } from "@/features/inbox/cards";
import { ReflectButton } from "@/features/inbox/reflect-button";
import { ReviewCard, UnusedCard } from "@/features/inbox/note-cards";
import { BulkBar } from "@/features/notes/bulk-bar";
import { ask } from "@/lib/api";
import { drafts, type Draft } from "@/lib/drafts";
import { useFilter } from "@/lib/use-filter";
import type { Group, Inbox } from "@/lib/types";

type Item = { id: string; kind: string; title?: string; draw: (place: Place) => ReactNode };

const KINDS = [
  { value: "draft", name: "Unsaved" },
  { value: "held", name: "Conflicts" },
  { value: "credentials", name: "Credentials" },
  { value: "unreadable", name: "Unreadable" },
  { value: "rules", name: "Rules" },
  { value: "review", name: "To review" },
  { value: "duplicates", name: "Duplicates" },
  { value: "unused", name: "Never used" },
];
/** What nobody has to settle: the pill does not count it. */
const SUGGESTED = ["duplicates", "unused"];
const height = (item?: Item) => (item?.kind === "held" || item?.kind === "duplicates" ? 320 : 92);

/** Everything that waits for a person, in one list; nothing of it is announced elsewhere. */
export function InboxPage() {
  const query = useQuery(ask.inbox());
  const duplicates = useQuery(ask.duplicates());
  const selection = useSelection();
  const typed = drafts.use();
  const { filter, change, publish } = useFilter("/inbox/");
  const all = query.data ? itemsOf(query.data, duplicates.data?.groups ?? [], typed) : [];
  const counts: Record<string, number> = {
    ...query.data?.counts,
    draft: typed.length,
    duplicates: duplicates.data?.total ?? 0,
  };
  const kinds = KINDS.filter(({ value }) => counts[value] || (value === filter.kind && duplicates.isLoading));
  // Once the last of the chosen kind is settled, everything else is shown.
  const kind = kinds.some(({ value }) => value === filter.kind) ? filter.kind : undefined;
  const shown = all.filter((item) => !kind || item.kind === kind);
  const choose = (chosen: string) => {
    change({ kind: chosen });
    publish({ kind: chosen });
  };
  return (
    <>
      <PageHeader title="Inbox">
        <ReflectButton />
      </PageHeader>
      <div className="mb-3 min-h-7">
        <ChoiceChips
          label="Kinds"
          choices={kinds.map((each) => ({ ...each, count: counts[each.value] }))}
          value={kind ?? ""}
          onChange={choose}
        />
      </div>
      <Loaded query={query} isEmpty={() => shown.length === 0} empty={<Nothing comparing={duplicates.isLoading} />}>
        {() => (
          <List
            loose
            items={shown}
            label="Waiting for you"
            estimate={height}
            selection={selection}
            canSelect={(item) => item.kind === "review"}
            heading={(item, before) =>
              SUGGESTED.includes(item.kind) &&
              !SUGGESTED.includes(before?.kind ?? "") && (
                <h2 className="pb-2 text-sm font-semibold text-soft">Suggestions, which can wait</h2>
              )
            }>
            {(item, place) => item.draw(place)}
          </List>
        )}
      </Loaded>
      <BulkBar filter={{}} total={0} selection={selection} />
    </>
  );
}

function itemsOf(inbox: Inbox, groups: Group[], typed: Draft[]): Item[] {
  const item = (kind: string, id: string, draw: Item["draw"], title = ""): Item => ({ kind, id, draw, title });
  return [
    ...typed.map((one) => item("draft", `draft ${one.place}`, (place) => <DraftCard draft={one} place={place} />)),
    ...inbox.held.map((one) => item("held", `held ${one.id}`, (place) => <HeldCard held={one} place={place} />)),
    ...inbox.credentials.map((one) =>
      item("credentials", `secret ${one.path} ${one.line} ${one.kind}`, (place) => (
        <CredentialCard found={one} place={place} />
      )),
    ),
    ...inbox.unreadable.map((one) =>
      item("unreadable", `file ${one.path}`, (place) => <UnreadableCard file={one} place={place} />),
    ),
    ...inbox.rules.map((one) =>
      item("rules", `rule ${one.note_id} ${one.line}`, (place) => <RuleCard rule={one} place={place} />),
    ),
    // The bare id, because a selection of notes to review is changed as notes.
    ...inbox.review.map((one) => item("review", one.id, (place) => <ReviewCard note={one} place={place} />, one.title)),
    ...groups.map((one) =>
      item("duplicates", `same ${one.notes.map((note) => note.id).join(" ")}`, (place) => (
        <DuplicateCard group={one} place={place} />
      )),
    ),
    ...inbox.unused.map((one) =>
      item("unused", `unused ${one.id}`, (place) => <UnusedCard note={one} place={place} />),
    ),
  ];
}

function Nothing({ comparing }: { comparing: boolean }) {
  return (
    <Empty title={comparing ? "Nothing so far." : "Nothing waits for you."}>
      {comparing
        ? "Still looking for notes that say the same."
        : "Conflicts, notes to review, credentials, files that cannot be read and duplicates appear here."}
    </Empty>
  );
}
