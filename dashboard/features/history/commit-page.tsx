"use client";

import { ArrowLeft } from "lucide-react";
import Link from "@/components/link";
import { useState } from "react";
import { DiffView } from "@/components/diff-view";
import { Loaded } from "@/components/loaded";
import { Moment } from "@/components/moment";
import { PageHeader } from "@/components/page-header";
import { TypeMark } from "@/components/type-mark";
import { buttonClass } from "@/components/ui/button";
import { useCommit, useNoteDiff } from "@/features/history/use-history";
import { noteLink } from "@/lib/filter";
import { plainMessage, plural, shortCommit } from "@/lib/format";
import type { ChangedNote, CommitDetail } from "@/lib/schemas/history";

/** One commit: every note it touched, as a diff. */
export function CommitPage({ commit }: { commit: string }) {
  return <Loaded query={useCommit(commit)}>{(detail) => <Detail detail={detail} />}</Loaded>;
}

function Detail({ detail }: { detail: CommitDetail }) {
  const about = (
    <>
      {shortCommit(detail.commit)} by {detail.machine_id}, <Moment at={detail.at} />: {plural(detail.files, "note")}
    </>
  );
  return (
    <>
      <PageHeader title={plainMessage(detail.message)} about={about}>
        <Link href="/history/" className={buttonClass()}>
          <ArrowLeft aria-hidden /> All commits
        </Link>
      </PageHeader>
      <div className="space-y-4">
        {detail.changes.map((change, place) => (
          <ChangedFile key={change.path} change={change} commit={detail.commit} startsOpen={place < 3} />
        ))}
        {detail.left_out > 0 && (
          <p className="text-[0.9rem] text-faint">{plural(detail.left_out, "more note")} changed in this commit.</p>
        )}
      </div>
    </>
  );
}

type FileProps = { change: ChangedNote; commit: string; startsOpen: boolean };

/** One note of a commit; its texts are asked for when it is opened. */
function ChangedFile({ change, commit, startsOpen }: FileProps) {
  const [open, setOpen] = useState(startsOpen);
  return (
    <details
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="overflow-hidden rounded-lg border border-line bg-panel"
    >
      <summary className="flex items-center gap-2.5 px-4 py-2.5 text-[0.9rem] marker:content-none hover:bg-sunken">
        {change.type && <TypeMark type={change.type} />}
        <span className="min-w-0 flex-1 truncate font-medium">{change.title || change.path}</span>
        <span className="text-[0.82rem] text-faint">{change.action}</span>
      </summary>
      {open && change.id && <ChangedText id={change.id} commit={commit} />}
    </details>
  );
}

function ChangedText({ id, commit }: { id: string; commit: string }) {
  return (
    <div className="border-t border-line">
      <p className="px-4 pt-2 text-[0.82rem]">
        <Link href={noteLink(id)} className="text-accent underline">
          Open the note
        </Link>
      </p>
      <Loaded query={useNoteDiff(id, "", commit)}>
        {(diff) => <DiffView before={diff.from.text} after={diff.to.text} />}
      </Loaded>
    </div>
  );
}
