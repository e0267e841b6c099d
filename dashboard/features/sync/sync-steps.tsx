import clsx from "clsx";
import { Check } from "lucide-react";
import { count } from "@/lib/format";
import type { SyncStep } from "@/lib/types";

const STEPS = ["commit", "fetch", "integrate", "push", "index"] as const;

/** The steps of a running sync; `told` is the last progress of each step that has started, the current one last. */
export function SyncSteps({ told }: { told: SyncStep[] }) {
  const current = told.at(-1);
  return (
    <div className="px-1 text-xs">
      <p role="status" className="sr-only">
        {current ? `Syncing: ${current.step}` : "Syncing"}
      </p>
      <ol aria-label="Steps of the sync" className="space-y-0.5">
        {STEPS.map((name) => (
          <Step
            key={name}
            name={name}
            told={told.find((word) => word.step === name)}
            current={current?.step === name}
          />
        ))}
      </ol>
    </div>
  );
}

type Props = { name: string; told: SyncStep | undefined; current: boolean };

function Step({ name, told, current }: Props) {
  const counted = current && told && told.total > 0 ? told : null;
  return (
    <li
      aria-current={current ? "step" : undefined}
      className={clsx(current ? "text-ink" : told ? "text-soft" : "text-faint")}>
      <span className="flex h-5 items-center gap-1.5">
        <Mark done={told !== undefined && !current} current={current} />
        <span className={clsx(current && "font-medium")}>{name}</span>
        {counted && (
          <span className="ml-auto text-faint tabular-nums">
            {count(counted.done)} of {count(counted.total)}
          </span>
        )}
      </span>
      {counted && <progress aria-label={name} value={counted.done} max={counted.total} className="thin-bar" />}
    </li>
  );
}

/** A tick for a completed step, a dot for one that has not started. */
function Mark({ done, current }: { done: boolean; current: boolean }) {
  if (done) return <Check aria-label="done" className="size-3 shrink-0 text-good" />;
  return (
    <span aria-hidden className="grid size-3 shrink-0 place-items-center">
      <span className={clsx("size-1.5 rounded-full", current ? "animate-pulse bg-accent" : "bg-edge/60")} />
    </span>
  );
}
