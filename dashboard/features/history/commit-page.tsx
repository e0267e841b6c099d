"use client";

import { ArrowLeft } from "lucide-react";
import Link from "@/components/link";
import { Loaded } from "@/components/loaded";
import { Moment } from "@/components/moment";
import { PageHeader } from "@/components/page-header";
import { buttonClass } from "@/components/ui/button";
import { ChangedNotePanel } from "@/features/history/changed-note";
import { plural, shortCommit } from "@/lib/format";
import { useCommit } from "@/lib/queries";
import type { CommitDetail } from "@/lib/schemas/history";

const OPEN_AT_FIRST = 5;

/** One commit: every note it touched, as a note. */
export function CommitPage({ commit }: { commit: string }) {
  return <Loaded query={useCommit(commit)}>{(detail) => <Detail detail={detail} />}</Loaded>;
}

function Detail({ detail }: { detail: CommitDetail }) {
  const notes = detail.changes.filter((change) => change.id);
  const files = detail.changes.filter((change) => !change.id);
  return (
    <>
      <PageHeader
        title={`${plural(notes.length + detail.left_out, "note")} on ${detail.machine_id}`}
        about={
          <>
            <Moment at={detail.at} exact />, commit {shortCommit(detail.commit)}
          </>
        }
      >
        <Link href="/history/" className={buttonClass()}>
          <ArrowLeft aria-hidden /> All changes
        </Link>
      </PageHeader>
      <div className="space-y-4">
        {notes.map((change, place) => (
          <ChangedNotePanel key={change.path} change={change} commit={detail.commit} startsOpen={place < OPEN_AT_FIRST} />
        ))}
        {detail.left_out > 0 && <p className="text-sm text-faint">{plural(detail.left_out, "more note")} changed in this commit.</p>}
        {files.length > 0 && (
          <p className="text-sm text-faint">
            Other files: {files.map((file) => `${file.path} (${file.action})`).join(", ")}
          </p>
        )}
      </div>
    </>
  );
}
