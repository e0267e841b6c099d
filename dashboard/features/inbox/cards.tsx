"use client";

import { FileWarning, KeyRound, PencilLine } from "lucide-react";
import Link from "@/components/link";
import { Title } from "@/components/title";
import { Button, buttonClass } from "@/components/ui/button";
import { Card } from "@/features/inbox/card";
import { useAct } from "@/lib/act";
import { api } from "@/lib/api";
import { draftLink, type Draft } from "@/lib/drafts";
import { noteLink } from "@/lib/filter";
import { ago } from "@/lib/format";
import { useShortcuts } from "@/lib/keys";
import { copy } from "@/lib/notice";
import type { Inbox } from "@/lib/types";

type Of<K extends keyof Inbox> = Inbox[K] extends (infer T)[] ? T : never;

/** Text that was typed and not saved, in this browser. */
export function DraftCard({ draft }: { draft: Draft }) {
  return (
    <Card
      icon={PencilLine}
      kind="Unsaved text"
      title={draft.fields.title ? <Title text={draft.fields.title} /> : "A draft without a title"}
      about={`Typed ${ago(draft.at)}, only in this browser.`}
      actions={
        <Link href={draftLink(draft.place)} className={buttonClass({ small: true })}>
          Keep writing
        </Link>
      }
    />
  );
}

/** A credential that keeps a file from being synced. */
export function CredentialCard({ found, active }: { found: Of<"credentials">; active: boolean }) {
  const clean = useAct(() => api.clean(found.id), {
    say: "Removed. Change the credential where it is used: it stood in a file.",
  });
  const allow = useAct(() => api.allow(found.id), {
    say: "Allowed: the next sync sends this version, with the credential.",
  });
  const busy = clean.isPending || allow.isPending;
  useShortcuts(
    "In the inbox",
    active && found.is_note ? { r: { does: "Remove the credential", run: () => clean.mutate(undefined) } } : {},
  );
  return (
    <Card
      icon={KeyRound}
      kind="Credential"
      active={active}
      title={
        found.is_note ? (
          <Link href={noteLink(found.id)} className="hover:underline">
            <Title text={found.title || "A note"} />
          </Link>
        ) : (
          found.path
        )
      }
      about={`Not synced: line ${found.line} of the file looks like a credential (${found.kind}).`}
      actions={
        <>
          {found.is_note && (
            <Button small look="primary" disabled={busy} onClick={() => clean.mutate(undefined)}>
              Remove it
            </Button>
          )}
          <Button small disabled={busy} onClick={() => allow.mutate(undefined)}>
            Allow this version
          </Button>
        </>
      }
    />
  );
}

/** A file that is not a note; if it was one, its last good version can be restored. */
export function UnreadableCard({ file, active }: { file: Of<"unreadable">; active: boolean }) {
  const restore = useAct(() => api.restore(file.id ?? "", {}, null), {
    say: "Restored the last version that can be read.",
  });
  useShortcuts(
    "In the inbox",
    active && file.id ? { r: { does: "Restore the file", run: () => restore.mutate(undefined) } } : {},
  );
  return (
    <Card
      icon={FileWarning}
      kind="Unreadable file"
      active={active}
      title={<code className="font-mono text-sm font-normal">{file.path}</code>}
      about={file.reason}
      actions={
        file.id ? (
          <>
            <Button small look="primary" disabled={restore.isPending} onClick={() => restore.mutate(undefined)}>
              Restore the last good version
            </Button>
            <Link href={noteLink(file.id)} className={buttonClass({ small: true })}>
              Show it
            </Link>
          </>
        ) : (
          <Button small onClick={() => void copy(file.path, "Copied the path.")}>
            Copy the path
          </Button>
        )
      }
    />
  );
}
