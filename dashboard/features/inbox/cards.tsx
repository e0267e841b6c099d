"use client";

import { Copy, FileWarning, Gavel, KeyRound, PencilLine } from "lucide-react";
import { useState } from "react";
import { ComparedTexts } from "@/components/compared";
import Link from "@/components/link";
import { Moment } from "@/components/moment";
import { Phrase } from "@/components/phrase";
import { Title } from "@/components/title";
import { Ask } from "@/components/ui/ask";
import { Card, type Place } from "@/features/inbox/card";
import { useAct } from "@/lib/act";
import { api } from "@/lib/api";
import { draftLink, type Draft } from "@/lib/drafts";
import { noteLink } from "@/lib/filter";
import { ago, plural } from "@/lib/format";
import { copy } from "@/lib/notice";
import { IS_PRIVATE, PRIVATE, type Group, type Inbox } from "@/lib/types";

/** Text that was typed and not saved, in this browser. */
export function DraftCard({ draft, place }: { draft: Draft; place: Place }) {
  return (
    <Card
      place={place}
      icon={PencilLine}
      kind="Unsaved text"
      title={draft.fields.title ? <Title text={draft.fields.title} /> : "A draft without a title"}
      about={`Typed ${ago(draft.at)}, only in this browser.`}
      acts={[{ label: "Keep writing", href: draftLink(draft.place) }]}
    />
  );
}

/** A credential, or a mark that it stays on this machine, keeps a file from being synced. */
export function CredentialCard({ found, place }: { found: Inbox["credentials"][number]; place: Place }) {
  const clean = useAct(() => api.clean(found.id), {
    say: "Removed. Change the credential where it is used: it stood in a file.",
  });
  const [asking, setAsking] = useState(false);
  const allow = useAct(() => api.allow(found.id), {
    quiet: true,
    say: "Allowed: the next sync sends this version, with the credential.",
    then: () => setAsking(false),
  });
  const busy = clean.isPending || allow.isPending;
  const isPrivate = found.kind === PRIVATE;
  const remove = { label: "Remove it", key: "r", run: clean.mutate, busy } as const;
  return (
    <Card
      place={place}
      icon={KeyRound}
      kind={isPrivate ? "Marked machine-local" : "Credential"}
      title={
        found.is_note ? (
          <Link href={noteLink(found.id)} className="hover:underline">
            <Title text={found.title || "A note"} />
          </Link>
        ) : (
          found.path
        )
      }
      about={
        isPrivate ? IS_PRIVATE : `Not synced: line ${found.line} of the file looks like a credential (${found.kind}).`
      }
      acts={
        isPrivate
          ? [{ label: "Edit", look: "primary", href: noteLink(found.id, "edit") }]
          : [
              ...(found.is_note ? [{ ...remove, look: "primary" as const }] : []),
              { label: "Allow this version", run: () => setAsking(true), busy },
            ]
      }
      dialog={
        asking && (
          <Ask
            title="Send this credential?"
            about={`“${found.title || found.path}” is sent as it is, with its credential (${found.kind}), to the remote’s history and to all your machines.`}
            confirm="Send it"
            cancel="Keep it here"
            danger
            act={allow}
            onClose={() => setAsking(false)}
          />
        )
      }
    />
  );
}

/** A file that is not a note; if it was one, its last good version can be restored. */
export function UnreadableCard({ file, place }: { file: Inbox["unreadable"][number]; place: Place }) {
  const restore = useAct(() => api.restore(file.id, {}, null), { say: "Restored. The broken text is kept in undo/." });
  const busy = restore.isPending;
  return (
    <Card
      place={place}
      icon={FileWarning}
      kind="Unreadable file"
      title={<Title text={file.title || file.path} />}
      about={file.title ? `${file.path}: ${file.reason}` : file.reason}
      acts={
        file.id
          ? [
              { label: "Restore the last good version", key: "r", look: "primary", run: restore.mutate, busy },
              { label: "Show it", href: noteLink(file.id) },
            ]
          : [{ label: "Copy the path", run: () => void copy(file.path, "Copied the path.") }]
      }
    />
  );
}

/** A rule that the user stated in a session: every later session is told it until it is dropped. */
export function RuleCard({ rule, place }: { rule: Inbox["rules"][number]; place: Place }) {
  const act = async (keep: boolean) => ({ keep, ...(await api.settleRule(rule.note_id, rule.line, keep)) });
  const settle = useAct(act, {
    say: ({ keep, rules }) =>
      keep ? "Kept as a rule." : ["Dropped.", ...rules.map((line) => `Told again in its place: “${line}”`)].join(" "),
    undo: async (answer) => {
      if (answer.written) await api.remove(answer.written, null);
      await api.restore(rule.note_id, { text: answer.undo }, null);
    },
  });
  return (
    <Card
      place={place}
      icon={Gavel}
      kind={rule.model ? "Rule that Claude noted" : "Rule that a session stated"}
      title={<Phrase text={`“${rule.line}”`} />}
      about={
        <>
          In{" "}
          <Link href={noteLink(rule.note_id)} className="text-accent underline">
            {rule.model ? "a note" : "a session"}
          </Link>{" "}
          of {rule.project}, <Moment at={rule.at} />. Claude is told it in every session there.
        </>
      }
      acts={[
        { label: "Keep", key: "y", look: "primary", run: () => settle.mutate(true), busy: settle.isPending },
        { label: "Drop", key: "d", look: "danger", run: () => settle.mutate(false), busy: settle.isPending },
      ]}
    />
  );
}

/** Notes that seem to say the same: what differs, and one button that merges them. */
export function DuplicateCard({ group, place }: { group: Group; place: Place }) {
  const [first, second] = group.notes;
  const merge = useAct(() => api.merge(group.notes.map((note) => note.id)), {
    say: (note) => `Merged ${plural(group.notes.length, "note")} into “${note.title}”.`,
    undo: (note) => api.remove(note.id, null),
  });
  return (
    <Card
      place={place}
      icon={Copy}
      kind={`${plural(group.notes.length, "note")} that seem to say the same`}
      title={<Title text={group.title} />}
      about={group.notes.map((note, at) => (
        <span key={note.id}>
          {at > 0 && " · "}
          <Link href={noteLink(note.id)} className="text-accent underline">
            <Title text={note.title} />
          </Link>{" "}
          {ago(note.updated_at)} on {note.machine_id}
        </span>
      ))}
      acts={[{ label: "Merge into one", key: "y", look: "primary", run: merge.mutate, busy: merge.isPending }]}>
      {first && second && (
        <ComparedTexts
          before={first.body}
          after={second.body}
          names={{ before: `First: ${first.title}`, after: `Second: ${second.title}` }}
          look="clash"
        />
      )}
    </Card>
  );
}
