import Link from "@/components/link";
import { Title } from "@/components/title";
import { sessionLink } from "@/lib/filter";
import { ago, clockTime, exactTime, plural } from "@/lib/format";
import type { SessionRow as Session } from "@/lib/schemas/session";

/** One session in a timeline: what it was about, was told, searched for and wrote; `dated` outside a day's list. */
export function SessionRow({ session, dated = false }: { session: Session; dated?: boolean }) {
  return (
    <Link href={sessionLink(session.id)} className="block border-b border-line px-4 py-2 outline-offset-[-2px] hover:bg-sunken">
      <span className="flex items-baseline gap-3">
        <span className="line-clamp-2 min-w-0 flex-1 sm:line-clamp-1">
          <SessionName session={session} />
        </span>
        <time dateTime={session.at} title={exactTime(session.at)} className="shrink-0 text-xs text-faint tabular-nums">
          {dated ? ago(session.at) : clockTime(session.at)}
        </time>
      </span>
      <span className="mt-0.5 flex flex-wrap gap-x-3 text-xs text-faint">
        <span>{session.project || "no project"}</span>
        {session.machine_id && <span>{session.machine_id}</span>}
        {session.scripted && <span>scripted</span>}
        <span>{figures(session)}</span>
      </span>
    </Link>
  );
}

/** What a session was about, or why that is not known. */
function SessionName({ session }: { session: Session }) {
  if (session.note) return <span className="font-medium"><Title text={session.note.title} /></span>;
  return (
    <span className="text-soft italic">
      {session.state === "trivial" ? "Nothing worth saving" : "No note yet: still running, or not captured"}
    </span>
  );
}

/** "given 12 notes in 8,430 characters, 2 searches, wrote 1 note"; empty if this machine has no receipt. */
export function figures(session: Session): string {
  if (session.characters === null) return "";
  const told = `given ${plural(session.told ?? 0, "note")} in ${plural(session.characters, "character")}`;
  const searched = session.searched ? `, ${plural(session.searched, "search", "searches")}` : "";
  const wrote = session.wrote ? `, wrote ${plural(session.wrote, "note")}` : "";
  return told + searched + wrote;
}
