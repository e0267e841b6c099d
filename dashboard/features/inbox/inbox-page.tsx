"use client";

import { useQuery } from "@tanstack/react-query";
import { ChoiceChips } from "@/components/chips";
import { Empty } from "@/components/empty";
import { List, useSelection } from "@/components/list";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { DuplicateCard } from "@/features/inbox/duplicate-card";
import { HeldCard } from "@/features/inbox/held-card";
import { CredentialCard, DraftCard, UnreadableCard } from "@/features/inbox/cards";
import { ReflectButton } from "@/features/inbox/reflect-button";
import { ReviewCard } from "@/features/inbox/review-card";
import { RuleCard, UnusedCard } from "@/features/inbox/told-cards";
import { BulkBar } from "@/features/notes/bulk-bar";
import { ask } from "@/lib/api";
import { drafts, type Draft } from "@/lib/drafts";
import { useFilter } from "@/lib/use-filter";
import type { Group, Inbox } from "@/lib/types";

type Of<K extends string, T> = { id: string; kind: K; title: string; what: T };
export type Item =
  | Of<"draft", Draft>
  | Of<"held", Inbox["held"][number]>
  | Of<"credentials", Inbox["credentials"][number]>
  | Of<"unreadable", Inbox["unreadable"][number]>
  | Of<"rules", Inbox["rules"][number]>
  | Of<"review", Inbox["review"][number]>
  | Of<"duplicates", Group>
  | Of<"unused", Inbox["unused"][number]>;

const KINDS: { value: Item["kind"]; name: string }[] = [
  { value: "draft", name: "Unsaved" },
  { value: "held", name: "Conflicts" },
  { value: "credentials", name: "Credentials" },
  { value: "unreadable", name: "Unreadable" },
  { value: "rules", name: "Rules" },
  { value: "review", name: "To review" },
  { value: "duplicates", name: "Duplicates" },
  { value: "unused", name: "Never used" },
];
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
            canSelect={(item) => item.kind === "review"}>
            {(item, { active }) => <Card item={item} active={active} />}
          </List>
        )}
      </Loaded>
      <BulkBar filter={{}} total={0} selection={selection} />
    </>
  );
}

function Card({ item, active }: { item: Item; active: boolean }) {
  switch (item.kind) {
    case "draft":
      return <DraftCard draft={item.what} />;
    case "held":
      return <HeldCard held={item.what} active={active} />;
    case "credentials":
      return <CredentialCard found={item.what} active={active} />;
    case "unreadable":
      return <UnreadableCard file={item.what} active={active} />;
    case "rules":
      return <RuleCard rule={item.what} active={active} />;
    case "review":
      return <ReviewCard note={item.what} active={active} />;
    case "duplicates":
      return <DuplicateCard group={item.what} active={active} />;
    case "unused":
      return <UnusedCard note={item.what} active={active} />;
  }
}

function itemsOf(inbox: Inbox, groups: Group[], typed: Draft[]): Item[] {
  return [
    ...typed.map((what): Item => ({ kind: "draft", id: `draft ${what.place}`, title: what.fields.title ?? "", what })),
    ...inbox.held.map((what): Item => ({ kind: "held", id: `held ${what.id}`, title: what.title, what })),
    ...inbox.credentials.map((what): Item => ({
      kind: "credentials",
      id: `secret ${what.path} ${what.line} ${what.kind}`,
      title: what.title,
      what,
    })),
    ...inbox.unreadable.map((what): Item => ({ kind: "unreadable", id: `file ${what.path}`, title: what.path, what })),
    ...inbox.rules.map((what): Item => ({
      kind: "rules",
      id: `rule ${what.note_id} ${what.line}`,
      title: what.line,
      what,
    })),
    // The bare id, because a selection of notes to review is changed as notes.
    ...inbox.review.map((what): Item => ({ kind: "review", id: what.id, title: what.title, what })),
    ...groups.map((what): Item => ({
      kind: "duplicates",
      id: `same ${what.notes.map((note) => note.id).join(" ")}`,
      title: what.title,
      what,
    })),
    ...inbox.unused.map((what): Item => ({ kind: "unused", id: `unused ${what.id}`, title: what.title, what })),
  ];
}

function Nothing({ comparing }: { comparing: boolean }) {
  return (
    <Empty title="Nothing waits for you.">
      {comparing
        ? "Still looking for notes that say the same."
        : "Conflicts, notes to review, credentials, files that cannot be read and duplicates appear here."}
    </Empty>
  );
}
