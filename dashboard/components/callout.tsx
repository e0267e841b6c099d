import type { ReactNode } from "react";

type Props = { icon: ReactNode; action?: ReactNode; children: ReactNode };

/** Something to know before continuing, with what can be done about it. */
export function Callout({ icon, action, children }: Props) {
  return (
    <div
      role="status"
      className="mb-4 flex max-w-[72ch] flex-wrap items-center gap-x-2.5 gap-y-2 rounded-lg border border-warn/40 bg-episodic/10 px-3.5 py-2 text-sm [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-warn">
      {icon}
      <div className="min-w-0 flex-[1_1_14rem]">{children}</div>
      {action}
    </div>
  );
}
