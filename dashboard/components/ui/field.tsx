import clsx from "clsx";
import { useId, type ComponentProps, type ReactNode } from "react";

export const inputClass =
  "w-full rounded-md border border-edge/60 bg-panel px-2.5 text-sm text-ink placeholder:text-faint hover:border-edge disabled:opacity-60";

export function Input({ className, ...rest }: ComponentProps<"input">) {
  return <input {...rest} className={clsx(inputClass, "h-9", className)} />;
}

export function Textarea({ className, ...rest }: ComponentProps<"textarea">) {
  return <textarea {...rest} className={clsx(inputClass, "py-2 leading-relaxed", className)} />;
}

export function Select({ className, ...rest }: ComponentProps<"select">) {
  return <select {...rest} className={clsx(inputClass, "h-9 pr-7", className)} />;
}

type FieldProps = {
  label: string;
  hint?: string;
  className?: string;
  children: (ids: { id: string; "aria-describedby"?: string }) => ReactNode;
};

/** A label, its control and a hint, associated for screen readers. */
export function Field({ label, hint, className, children }: FieldProps) {
  const id = useId();
  const described = hint ? `${id}-hint` : undefined;
  return (
    <div className={clsx("flex flex-col gap-1", className)}>
      <label htmlFor={id} className="text-xs font-medium text-soft">
        {label}
      </label>
      {children({ id, "aria-describedby": described })}
      {hint && (
        <p id={described} className="text-xs text-faint">
          {hint}
        </p>
      )}
    </div>
  );
}
