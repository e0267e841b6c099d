"use client";

import type { ComponentProps, MouseEvent } from "react";
import { useGo } from "@/lib/go";

type Props = ComponentProps<"a"> & { href: string };

/**
 * A link to another page. It loads nothing before it is followed: the server is on this machine. And it is light,
 * since a list draws dozens of them for every letter that is typed.
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

/** A click that means "go there", and not "in a new tab", "save" or a menu. */
function isPlain(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}
