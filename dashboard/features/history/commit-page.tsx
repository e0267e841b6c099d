"use client";

import { ArrowLeft } from "lucide-react";
import Link from "next/link";
import { DiffView } from "@/components/diff-view";
import { Loaded } from "@/components/loaded";
import { Moment } from "@/components/moment";
import { PageHeader } from "@/components/page-header";
import { TypeMark } from "@/components/type-mark";
import { buttonClass } from "@/components/ui/button";
import { useCommit } from "@/features/history/use-history";
import { noteLink } from "@/lib/filter";
import { plural, shortCommit } from "@/lib/format";
import type { ChangedNote, CommitDetail } from "@/lib/schemas/history";

/** One commit: every note it touched, as a diff. */
export function CommitPage({ commit }: { commit: string }) {
  return <Loaded query={useCommit(commit)}>{(detail) => <Detail detail={detail} />}</Loaded>;
}

function Detail({ detail }: { detail: CommitDetail }) {
  const about = (
    <>
      {shortCommit(detail.commit)} by {detail.machine}, <Moment at={detail.at} />: {plural(detail.changes.length, "note")}
    </>
  );
  return (
    <>
      <PageHeader title={detail.subject} about={about}>
        <Link href="/history/" className={buttonClass()}>
          <ArrowLeft aria-hidden /> All commits
        </Link>
      </PageHeader>
      <div className="space-y-4">
        {detail.changes.map((change, place) => (
          <ChangedFile key={change.id} change={change} open={place < 5} />
        ))}
        {detail.left_out > 0 && (
          <p className="text-[0.9rem] text-faint">{plural(detail.left_out, "more note")} changed in this commit.</p>
        )}
      </div>
    </>
  );
}

function ChangedFile({ change, open }: { change: ChangedNote; open: boolean }) {
  return (
    <details open={open} className="overflow-hidden rounded-lg border border-line bg-panel">
      <summary className="flex items-center gap-2.5 px-4 py-2.5 text-[0.9rem] marker:content-none hover:bg-sunken">
        {change.type && <TypeMark type={change.type} />}
        <span className="min-w-0 flex-1 truncate font-medium">{change.title || change.id}</span>
        <span className="text-[0.82rem] text-faint">{change.change}</span>
      </summary>
      <div className="border-t border-line">
        <p className="px-4 pt-2 text-[0.82rem]">
          <Link href={noteLink(change.id)} className="text-accent underline">
            Open the note
          </Link>
        </p>
        <DiffView before={change.before} after={change.after} />
      </div>
    </details>
  );
}
