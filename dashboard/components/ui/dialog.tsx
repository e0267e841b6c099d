"use client";

import clsx from "clsx";
import { useEffect, useId, useRef, type ReactNode } from "react";

type Props = {
  title: string;
  /** Only for screen readers, if the content already shows what this is. */
  hideTitle?: boolean;
  top?: boolean;
  className?: string;
  onClose: () => void;
  children: ReactNode;
};

/** A modal on the browser's own dialog element: it traps focus, makes the rest inert and closes on Escape. */
export function Dialog({ title, hideTitle, top, className, onClose, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    // A click on the backdrop hits the dialog itself; on the keyboard, Escape does the same.
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={ref}
      aria-labelledby={heading}
      onClose={onClose}
      onClick={(event) => event.target === ref.current && onClose()}
      className={clsx(
        "w-[min(34rem,calc(100vw-1.5rem))] rounded-xl border border-line bg-panel shadow-2xl outline-none",
        top ? "mt-[min(12vh,6rem)]" : "my-auto",
        className,
      )}>
      <h2 id={heading} className={hideTitle ? "sr-only" : "px-5 pt-4 font-serif text-xl font-medium"}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}
