"use client";

import type { ReactNode } from "react";
import { Failure } from "@/components/loaded";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";

type Props = {
  title: string;
  about: ReactNode;
  confirm: string;
  cancel?: string;
  danger?: boolean;
  disabled?: boolean;
  /** What happens on confirmation. */
  act: { isPending: boolean; error: Error | null; mutate: () => void };
  onClose: () => void;
  children?: ReactNode;
};

/** A dialog that asks for a value or a confirmation; Enter confirms, and an error is shown in it. */
export function Ask({ title, about, confirm, cancel = "Cancel", danger, disabled, act, ...rest }: Props) {
  return (
    <Dialog title={title} onClose={rest.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          act.mutate();
        }}
        className="space-y-4 p-5 pt-2">
        <p className="text-base text-soft">{about}</p>
        {rest.children}
        {act.error && <Failure error={act.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={rest.onClose}>{cancel}</Button>
          <Button type="submit" look={danger ? "danger" : "primary"} disabled={disabled || act.isPending}>
            {confirm}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
