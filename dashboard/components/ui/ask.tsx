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
  error?: Error | null;
  onConfirm: () => void;
  onClose: () => void;
  children?: ReactNode;
};

/** A dialog that asks for a value or a confirmation; Enter confirms, and an error is shown in it. */
export function Ask({ title, about, confirm, cancel = "Cancel", danger, disabled, error, ...rest }: Props) {
  return (
    <Dialog title={title} onClose={rest.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          rest.onConfirm();
        }}
        className="space-y-4 p-5 pt-2">
        <p className="text-base text-soft">{about}</p>
        {rest.children}
        {error && <Failure error={error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={rest.onClose}>{cancel}</Button>
          <Button type="submit" look={danger ? "danger" : "primary"} disabled={disabled}>
            {confirm}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
