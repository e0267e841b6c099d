import clsx from "clsx";
import type { ComponentProps } from "react";

const LOOKS = {
  primary: "bg-accent text-on-accent border-accent hover:brightness-110",
  plain: "bg-panel text-ink border-line hover:border-edge hover:bg-sunken",
  quiet: "border-transparent text-soft hover:text-ink hover:bg-sunken",
  danger: "bg-panel text-bad border-line hover:border-bad hover:bg-bad-wash",
} as const;

export type Look = { look?: keyof typeof LOOKS; small?: boolean };

export function buttonClass({ look = "plain", small = false }: Look = {}): string {
  return clsx(
    "inline-flex items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap transition-colors select-none",
    "disabled:opacity-50 disabled:pointer-events-none [&_svg]:size-[1.05em] [&_svg]:shrink-0",
    small ? "h-7 px-2 text-xs" : "h-9 px-3 text-sm",
    LOOKS[look],
  );
}

/** `act` is what a click does; the button is disabled while it runs. */
type Props = ComponentProps<"button"> & Look & { act?: { isPending: boolean; mutate: () => void } };

export function Button({ look, small, act, className, ...rest }: Props) {
  const acting = act && { disabled: act.isPending, onClick: () => act.mutate() };
  return <button type="button" {...acting} {...rest} className={clsx(buttonClass({ look, small }), className)} />;
}
