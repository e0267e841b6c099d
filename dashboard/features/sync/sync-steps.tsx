import clsx from "clsx";
import { Check } from "lucide-react";
import { count } from "@/lib/format";
import { syncStepName, type SyncStep } from "@/lib/schemas/fleet";

/** The steps of a running sync; `told` is the last progress of each step that has started, the current one last. */
export function SyncSteps({ told }: { told: SyncStep[] }) {
  const present = told.at(-1);
  return (
    <div className="px-1 text-xs">
      <p role="status" className="sr-only">
        {present ? `Syncing: ${present.step}` : "Syncing"}
      </p>
      <ol aria-label="Steps of the sync" className="space-y-0.5">
        {syncStepName.options.map((name) => (
          <Step key={name} name={name} told={told.find((word) => word.step === name)} present={present?.step === name} />
        ))}
      </ol>
    </div>
  );
}

type Props = { name: string; told: SyncStep | undefined; present: boolean };

function Step({ name, told, present }: Props) {
  const counted = present && told && told.total > 0 ? told : null;
  return (
    <li aria-current={present ? "step" : undefined} className={clsx(present ? "text-ink" : told ? "text-soft" : "text-faint")}>
      <span className="flex h-5 items-center gap-1.5">
        <Mark done={told !== undefined && !present} present={present} />
        <span className={clsx(present && "font-medium")}>{name}</span>
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
function Mark({ done, present }: { done: boolean; present: boolean }) {
  if (done) return <Check aria-label="done" className="size-3 shrink-0 text-good" />;
  return (
    <span aria-hidden className="grid size-3 shrink-0 place-items-center">
      <span className={clsx("size-1.5 rounded-full", present ? "animate-pulse bg-accent" : "bg-edge/60")} />
    </span>
  );
}
