import clsx from "clsx";
import { useId, type ComponentProps, type ReactNode } from "react";

const LOOK =
  "w-full rounded-md border border-edge/60 bg-panel px-2.5 text-sm text-ink placeholder:text-faint hover:border-edge disabled:opacity-60";

export function Input({ className, ...rest }: ComponentProps<"input">) {
  return <input {...rest} className={clsx(LOOK, "h-9", className)} />;
}

export function Textarea({ className, ...rest }: ComponentProps<"textarea">) {
  return <textarea {...rest} dir="auto" className={clsx(LOOK, "py-2 font-mono leading-relaxed", className)} />;
}

type SelectProps = ComponentProps<"select"> & { options: readonly string[]; nameOf?: (option: string) => string };

export function Select({ options, nameOf = String, className, ...rest }: SelectProps) {
  return (
    <select {...rest} className={clsx(LOOK, "h-9 pr-7", className)}>
      {options.map((option) => (
        <option key={option} value={option}>
          {nameOf(option)}
        </option>
      ))}
    </select>
  );
}

/** An input that suggests known values. */
export function Suggest({ known, ...rest }: ComponentProps<"input"> & { known: { name: string }[] }) {
  const list = useId();
  return (
    <>
      <Input {...rest} list={list} />
      <datalist id={list}>
        {known.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

/** A control with its label. */
export function Field({ label, className, children }: { label: string; className?: string; children: ReactNode }) {
  return (
    <label className={clsx("flex flex-col gap-1", className)}>
      <span className="text-xs font-medium text-soft">{label}</span>
      {children}
    </label>
  );
}
