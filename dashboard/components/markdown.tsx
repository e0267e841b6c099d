"use client";

import Link from "@/components/link";
import type { ComponentProps, ReactNode } from "react";
import ReactMarkdown, { defaultUrlTransform } from "react-markdown";
import remarkGfm from "remark-gfm";
import { resolveLink } from "@/lib/link-target";

/** A note's body as a page. Raw HTML stays text, addresses with unsafe schemes are dropped, nothing is fetched. */
export function Markdown({ text }: { text: string }) {
  return (
    <div className="prose" dir="auto">
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        urlTransform={defaultUrlTransform}
        components={{ a: Anchor, img: Picture, input: Task, pre: CodeBlock, table: Table }}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}

/** The box of a task list: nobody ticks it here, but its state has a name. */
function Task({ checked }: ComponentProps<"input">) {
  return <input type="checkbox" checked={Boolean(checked)} disabled readOnly aria-label={checked ? "done" : "to do"} />;
}

// Wide code and wide tables scroll, so the keyboard must be able to get there.
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

function Anchor({ href = "", children }: ComponentProps<"a">) {
  const target = resolveLink(href);
  if (target.kind === "note") return <Link href={target.href}>{children}</Link>;
  if (target.kind === "here") return <a href={href}>{children}</a>;
  if (target.kind === "file") return <FilePath text={children} path={href} />;
  return (
    <a href={href} rel="noreferrer noopener nofollow" target="_blank">
      {children}
    </a>
  );
}

/** A picture would call another host; its address is shown instead. */
function Picture({ src, alt }: ComponentProps<"img">) {
  const address = typeof src === "string" ? src : "";
  return <Anchor href={address}>{alt || address || "picture"}</Anchor>;
}

/** A path in some repository: there is no page to open, so the path itself is told. */
function FilePath({ text, path }: { text: ReactNode; path: string }) {
  if (!path || text === path) return text;
  return (
    <>
      {text} (<code>{path}</code>)
    </>
  );
}
