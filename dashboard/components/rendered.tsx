"use client";

import Link from "@/components/link";
import type { ComponentProps, ReactNode } from "react";
import ReactMarkdown, { defaultUrlTransform } from "react-markdown";
import remarkGfm from "remark-gfm";
import { resolveLink } from "@/lib/link-target";
import { linkNotes, type LinkedNotes } from "@/lib/note-links";

/** A note's body, rendered. Raw HTML stays text, URLs with unsafe schemes are dropped, nothing is fetched. */
export function Markdown({ text, linked = NONE }: { text: string; linked?: LinkedNotes }) {
  return (
    <div className="prose" dir="auto">
      <ReactMarkdown
        remarkPlugins={[remarkGfm, [linkNotes, linked]]}
        urlTransform={safeAddress}
        components={{ a: Anchor, img: Picture, input: Task, pre: CodeBlock, table: Table }}>
        {text}
      </ReactMarkdown>
    </div>
  );
}

/** A task-list checkbox: read-only here, but labelled with its state. */
function Task({ checked }: ComponentProps<"input">) {
  return <input type="checkbox" checked={Boolean(checked)} disabled readOnly aria-label={checked ? "done" : "to do"} />;
}

// Wide code and wide tables scroll, so they must be focusable.
/* eslint-disable jsx-a11y/no-noninteractive-tabindex */
function CodeBlock({ children }: ComponentProps<"pre">) {
  return (
    <pre tabIndex={0} dir="ltr">
      {children}
    </pre>
  );
}

function Table({ children }: ComponentProps<"table">) {
  return (
    <div role="group" aria-label="Table" tabIndex={0} className="overflow-x-auto">
      <table>{children}</table>
    </div>
  );
}
/* eslint-enable jsx-a11y/no-noninteractive-tabindex */

/** A URL with a scheme that could run code is dropped; our own scheme links to a note. */
function safeAddress(address: string): string {
  return address.startsWith("anamnesis://note/") ? address : defaultUrlTransform(address);
}

const NONE: LinkedNotes = new Map();

function Anchor({ href = "", children }: ComponentProps<"a">) {
  const target = resolveLink(href);
  if (target.kind === "note") {
    return <Link href={target.href}>{children}</Link>;
  }
  if (target.kind === "here") return <a href={href}>{children}</a>;
  if (target.kind === "file") return <FilePath text={children} path={href} />;
  return (
    <a href={href} rel="noreferrer noopener nofollow" target="_blank">
      {children}
    </a>
  );
}

/** An image would load from another host, so its address is shown instead. */
function Picture({ src, alt }: ComponentProps<"img">) {
  const address = typeof src === "string" ? src : "";
  return <Anchor href={address}>{alt || address || "picture"}</Anchor>;
}

/** A path in some repository: there is no page to open, so the path itself is shown. */
function FilePath({ text, path }: { text: ReactNode; path: string }) {
  if (!path || text === path) return text;
  return (
    <>
      {text} (<code>{path}</code>)
    </>
  );
}
