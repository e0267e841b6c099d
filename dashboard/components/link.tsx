"use client";

import type { ComponentProps, MouseEvent } from "react";
import { useGo } from "@/lib/go";

type Props = ComponentProps<"a"> & { href: string };

/**
 * A link to another page. It does not prefetch, because the server is on this machine. It is also cheap to render,
 * because a list renders dozens of them for every typed letter.
 */
export default function Link({ href, onClick, children, ...rest }: Props) {
  const go = useGo();
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.defaultPrevented || !isPlain(event)) return;
    event.preventDefault();
    go.push(href);
  };
  return (
    <a {...rest} href={href} onClick={follow}>
      {children}
    </a>
  );
}

/** A plain click, not one that opens a new tab, saves, or opens a menu. */
function isPlain(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}
