"use client";

import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, CircleX, RefreshCw, Wrench } from "lucide-react";
import { Fact, Facts } from "@/components/facts";
import Link from "@/components/link";
import { Loaded } from "@/components/loaded";
import { Prose } from "@/components/prose";
import { Button, buttonClass } from "@/components/ui/button";
import { Panel } from "@/components/ui/panel";
import { findingName, isInInbox, worstFirst } from "@/features/health/findings";
import { isHere, PLACES } from "@/features/shell/places";
import { useAct } from "@/lib/act";
import { api, ask } from "@/lib/api";
import { count, plural } from "@/lib/format";
import type { Check } from "@/lib/types";

const LOOKS = {
  ok: { icon: CircleCheck, colour: "text-good", word: "fine" },
  warn: { icon: CircleAlert, colour: "text-warn", word: "needs attention" },
  bad: { icon: CircleX, colour: "text-bad", word: "broken" },
};

/** Every check; what is wrong comes first, with a link or a button that settles it. */
export function Health() {
  const queries = useQueryClient();
  const query = useQuery(ask.checks());
  const slow = query.data?.slow ?? [];
  const looked = useQueries({ queries: slow.map((name) => ask.check(name)) });
  const checks = worstFirst([...(query.data?.checks ?? []), ...looked.flatMap((one) => one.data?.checks ?? [])]);
  const all = checks.filter((check) => check.state !== "ok");
  const wrong = all.filter((check) => !isInInbox(check, all));
  const elsewhere = all.filter((check) => isInInbox(check, all));
  const fine = checks.filter((check) => check.state === "ok");
  const waiting = slow.filter((_, place) => !looked[place]?.data);
  const whyNot = (name: string) => {
    const error = looked[slow.indexOf(name)]?.error;
    return error ? `${name} (${error.message})` : name;
  };
  const reindex = useAct(api.reindex, { say: (answer) => `The index was rebuilt: ${plural(answer.indexed, "note")}.` });
  return (
    <section aria-label="Health">
      <Panel
        title={query.data ? verdict(all.length, elsewhere.length, checks.length, waiting.length) : "Health: checking"}
        flush
        action={
          <span className="flex gap-2">
            <Button
              small
              disabled={query.isFetching}
              onClick={() => void queries.invalidateQueries({ queryKey: ["doctor"] })}>
              Check again
            </Button>
            <Button small act={reindex}>
              <RefreshCw aria-hidden className={reindex.isPending ? "animate-spin" : ""} /> Rebuild the index
            </Button>
          </span>
        }>
        <div className="min-h-64">
          <Loaded query={query}>
            {() => (
              <>
                <ul>
                  {wrong.map((check) => (
                    <Finding key={check.name} check={check} />
                  ))}
                  {elsewhere.length > 0 && (
                    <li className="border-b border-line px-4 py-2.5 text-sm">
                      {elsewhere.map(findingName).join(", ")}:{" "}
                      <Link href="/inbox/" className="text-accent underline">
                        in the inbox
                      </Link>
                    </li>
                  )}
                </ul>
                <details className="px-4 py-2 text-sm">
                  <summary className="text-soft hover:text-ink">
                    {plural(fine.length, "check")} found nothing
                    <span role="status" className="text-faint">
                      {waiting.length > 0 && `, still checking: ${waiting.map(whyNot).join(", ")}`}
                    </span>
                  </summary>
                  <Facts className="mt-2">
                    {fine.map((check) => (
                      <Fact key={check.name} name={findingName(check)}>
                        <Prose text={check.evidence} />
                      </Fact>
                    ))}
                  </Facts>
                </details>
              </>
            )}
          </Loaded>
        </div>
      </Panel>
    </section>
  );
}

function Finding({ check }: { check: Check }) {
  const { icon: Icon, colour, word } = LOOKS[check.state];
  const fix = useAct(() => api.fix(check.name), {
    say: (answer) => answer.fixed.join(" ") || "Nothing could be repaired automatically.",
  });
  return (
    <li id={check.name} className="flex flex-wrap items-start gap-x-3 gap-y-2 border-b border-line px-4 py-2.5">
      <Icon aria-label={word} role="img" className={`mt-0.5 size-4.5 shrink-0 ${colour}`} />
      <div className="min-w-0 flex-[1_1_14rem]">
        <h3 className="font-medium">{findingName(check)}</h3>
        <p className="text-sm whitespace-pre-line text-soft">
          <Prose text={check.evidence} />
        </p>
        {check.remedy && !check.fixable && (
          <p className="mt-0.5 text-sm">
            <Prose text={check.remedy.charAt(0).toUpperCase() + check.remedy.slice(1)} />
          </p>
        )}
      </div>
      {check.fixable && (
        <Button small look="primary" act={fix}>
          <Wrench aria-hidden /> Repair
        </Button>
      )}
      {check.place && (
        <Link href={check.place} className={buttonClass({ small: true })}>
          {labelOf(check.place)}
        </Link>
      )}
    </li>
  );
}

/** A setting is changed, a page opened; what is on another site is to be installed. */
function labelOf(place: string): string {
  const [page = "", setting] = place.split("#");
  if (setting) return `Change ${setting}`;
  return page.startsWith("/") ? `Open ${PLACES.find((each) => isHere(each, page))?.name}` : "Download it";
}

function verdict(wrong: number, inInbox: number, all: number, waiting: number): string {
  const where = inInbox > 0 ? `, ${count(inInbox)} of them in the inbox` : "";
  if (wrong) return `Health: ${count(wrong)} of ${plural(all, "check")} found something${where}`;
  return waiting ? `Health: ${plural(all, "check")} passed so far` : `Health: all ${plural(all, "check")} passed`;
}
