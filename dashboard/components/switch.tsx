import clsx from "clsx";

type Props = { label: string; on: boolean; disabled?: boolean; onChange: (on: boolean) => void };

/** A setting that is on or off. */
export function Switch({ label, on, disabled, onChange }: Props) {
  return (
    <label className="inline-flex cursor-pointer items-center gap-2 text-sm">
      <input
        type="checkbox"
        role="switch"
        checked={on}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
        className="peer sr-only"
      />
      <span
        aria-hidden
        className={clsx(
          "flex h-5 w-9 items-center rounded-full border p-0.5 transition-colors peer-focus-visible:outline-2 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-accent",
          on ? "justify-end border-accent bg-accent" : "border-edge bg-sunken",
        )}>
        <span className={clsx("size-3.5 rounded-full", on ? "bg-on-accent" : "bg-edge")} />
      </span>
      {label}
    </label>
  );
}
