"use client";

import clsx from "clsx";
import { X } from "lucide-react";
import Link from "@/components/link";
import { Prose } from "@/components/prose";
import { useShortcuts } from "@/lib/keys";
import { dismiss, notices, type Notice, type NoticeAction } from "@/lib/notice";

export function Notices() {
  const shown = notices.use();
  const undoable = shown.findLast((notice) => notice.action?.run);
  const undo = () => {
    if (!undoable) return;
    undoable.action?.run?.();
    dismiss(undoable.id);
  };
  useShortcuts("Anywhere", { z: { does: "Undo what was just done", run: undo } });
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-3 bottom-20 z-40 flex flex-col items-center gap-2 md:right-6 md:bottom-6 md:left-auto md:items-end">
      {shown.map((notice) => (
        <Message key={notice.id} notice={notice} />
      ))}
    </div>
  );
}

function Message({ notice }: { notice: Notice }) {
  const close = () => dismiss(notice.id);
  return (
    <div
      className={clsx(
        "pointer-events-auto flex max-w-md items-start gap-3 rounded-lg border bg-panel py-2 pr-2 pl-4 text-sm shadow-lg",
        notice.bad ? "border-bad/60" : "border-line",
      )}>
      <p className="min-w-0 py-0.5">
        <Prose text={notice.text} />
      </p>
      {notice.action && <Action action={notice.action} done={close} />}
      <button
        type="button"
        aria-label="Dismiss"
        onClick={close}
        className="grid size-7 shrink-0 place-items-center text-faint hover:text-ink">
        <X aria-hidden className="size-4" />
      </button>
    </div>
  );
}

function Action({ action, done }: { action: NoticeAction; done: () => void }) {
  const act = () => {
    action.run?.();
    done();
  };
  const look = "min-h-7 shrink-0 py-0.5 font-medium text-accent underline";
  if (action.href) {
    return (
      <Link href={action.href} onClick={act} className={look}>
        {action.label}
      </Link>
    );
  }
  return (
    <button type="button" onClick={act} className={look}>
      {action.label}
    </button>
  );
}
