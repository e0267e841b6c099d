import Link from "@/components/link";
import { PageTitle } from "@/components/page-header";
import { Prose } from "@/components/prose";
import type { ReactNode } from "react";
import { buttonClass } from "@/components/ui/button";
import type { Overview } from "@/lib/types";

/** An empty store: how notes will get there, and what to do first. */
export function FirstRun({ data }: { data: Overview }) {
  return (
    <div className="mx-auto max-w-2xl py-8">
      <PageTitle>Nothing to remember yet.</PageTitle>
      <p className="mt-3 text-soft">
        The store at <code className="font-mono text-sm">{data.root}</code> is ready and empty. Notes appear here as you
        work with Claude Code.
      </p>
      <ol className="mt-8 space-y-5">
        <Step number={1} title="Connect Claude Code">
          <Prose text="Run `anamnesis init` once. It installs the hooks, registers the MCP server and asks for a git remote if you have more than one machine." />
        </Step>
        <Step number={2} title="Work as usual">
          A session worth remembering becomes a note when it ends. Ask Claude to remember facts and decisions.
        </Step>
        <Step number={3} title="Or write the first note yourself">
          <Link href="/note/new/" className={`mt-2 ${buttonClass({ look: "primary" })}`}>
            Write a note
          </Link>
        </Step>
      </ol>
    </div>
  );
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <li className="flex gap-4">
      <span aria-hidden className="font-serif text-2xl leading-none text-accent italic">
        {number}
      </span>
      <div>
        <h2 className="font-medium">{title}</h2>
        <div className="text-base text-soft">{children}</div>
      </div>
    </li>
  );
}
