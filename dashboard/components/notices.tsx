"use client";

import clsx from "clsx";
import { X } from "lucide-react";
import { dismiss, useNotices } from "@/lib/notice";

export function Notices() {
  const notices = useNotices();
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-3 bottom-20 z-40 flex flex-col items-center gap-2 md:right-6 md:bottom-6 md:left-auto md:items-end"
    >
      {notices.map((notice) => (
        <div
          key={notice.id}
          className={clsx(
            "pointer-events-auto flex max-w-md items-start gap-3 rounded-lg border bg-panel px-4 py-2.5 text-[0.88rem] shadow-lg",
            notice.bad ? "border-bad/60" : "border-line",
          )}
        >
          <p>{notice.text}</p>
          <button
            type="button"
            aria-label="Dismiss"
            onClick={() => dismiss(notice.id)}
            className="text-faint hover:text-ink"
          >
            <X aria-hidden className="mt-0.5 size-4" />
          </button>
        </div>
      ))}
    </div>
  );
}
