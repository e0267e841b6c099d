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
  const kinds = KINDS.filter(({ value }) => (counts[value] ?? 0) > 0 || value === filter.kind);
  const shown = all.filter((item) => !filter.kind || item.kind === filter.kind);
  const choose = (kind: string) => {
    change({ kind });
    publish({ kind });
  };
  return (
    <>
      <PageHeader title="Inbox">
        <ReflectButton />
      </PageHeader>
      <div className="mb-3 min-h-7">
        <ChoiceChips
          label="Kinds"
          choices={kinds.map((kind) => ({ ...kind, count: counts[kind.value] }))}
          value={filter.kind ?? ""}
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
  return [
    ...typed.map((draft): Item => ({
      kind: "draft",
      id: `draft ${draft.place}`,
      draw: (place) => <DraftCard draft={draft} place={place} />,
    })),
    ...inbox.held.map((held): Item => ({
      kind: "held",
      id: `held ${held.id}`,
      draw: (place) => <HeldCard held={held} place={place} />,
    })),
    ...inbox.credentials.map((found): Item => ({
      kind: "credentials",
      id: `secret ${found.path} ${found.line} ${found.kind}`,
      draw: (place) => <CredentialCard found={found} place={place} />,
    })),
    ...inbox.unreadable.map((file): Item => ({
      kind: "unreadable",
      id: `file ${file.path}`,
      draw: (place) => <UnreadableCard file={file} place={place} />,
    })),
    ...inbox.rules.map((rule): Item => ({
      kind: "rules",
      id: `rule ${rule.note_id} ${rule.line}`,
      draw: (place) => <RuleCard rule={rule} place={place} />,
    })),
    // The bare id, because a selection of notes to review is changed as notes.
    ...inbox.review.map((note): Item => ({
      kind: "review",
      id: note.id,
      title: note.title,
      draw: (place) => <ReviewCard note={note} place={place} />,
    })),
    ...groups.map((group): Item => ({
      kind: "duplicates",
      id: `same ${group.notes.map((note) => note.id).join(" ")}`,
      draw: (place) => <DuplicateCard group={group} place={place} />,
    })),
    ...inbox.unused.map((note): Item => ({
      kind: "unused",
      id: `unused ${note.id}`,
      draw: (place) => <UnusedCard note={note} place={place} />,
    })),
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
