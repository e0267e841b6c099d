import Link from "@/components/link";
import { Moment } from "@/components/moment";
import { commitLink } from "@/lib/filter";
import { plainMessage, plural, shortCommit } from "@/lib/format";
import { groupBy } from "@/lib/group";
import type { StoreCommit } from "@/lib/schemas/history";

/** Commits under the day they were made on. */
export function CommitList({ commits }: { commits: StoreCommit[] }) {
  const days = groupBy(commits, (commit) => dayOf(commit.at));
  return [...days].map(([day, made]) => (
    <section key={day} aria-label={day} className="mb-6">
      <h2 className="mb-2 text-[0.82rem] font-semibold text-faint">{day}</h2>
      <ul className="overflow-hidden rounded-lg border border-line bg-panel">
        {made.map((commit) => (
          <li key={commit.commit} className="border-b border-line last:border-0">
            <Link href={commitLink(commit.commit)} className="flex items-baseline gap-3 px-4 py-2 outline-offset-[-2px] hover:bg-sunken">
              <code className="hidden font-mono text-[0.78rem] text-faint sm:inline">{shortCommit(commit.commit)}</code>
              <span className="min-w-0 flex-1 truncate text-[0.9rem]">{plainMessage(commit.message)}</span>
              <span className="shrink-0 text-[0.82rem] text-soft tabular-nums">{plural(commit.files, "note")}</span>
              <span className="hidden w-28 truncate text-right text-[0.82rem] text-soft sm:block">{commit.machine_id}</span>
              <Moment at={commit.at} className="w-24 shrink-0 text-right text-[0.78rem] text-faint" />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  ));
}

const day = new Intl.DateTimeFormat("en", { weekday: "long", day: "numeric", month: "long", year: "numeric" });

function dayOf(at: string): string {
  const moment = Date.parse(at);
  return Number.isNaN(moment) ? "Unknown day" : day.format(moment);
}
