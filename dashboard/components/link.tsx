import NextLink from "next/link";
import type { ComponentProps } from "react";

/** A link that loads nothing before it is followed: the server is on this machine, and a list may hold a hundred. */
export default function Link(props: ComponentProps<typeof NextLink>) {
  return <NextLink {...props} prefetch={false} />;
}
