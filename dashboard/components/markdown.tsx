"use client";

import Link from "@/components/link";
import type { ComponentProps } from "react";
import ReactMarkdown, { defaultUrlTransform } from "react-markdown";
import remarkGfm from "remark-gfm";

/** A note's body as a page. Raw HTML stays text, addresses with unsafe schemes are dropped, nothing is fetched. */
export function Markdown({ text }: { text: string }) {
  return (
    <div className="prose">
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        urlTransform={defaultUrlTransform}
        components={{ a: Anchor, img: Picture }}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}

function Anchor({ href = "", children }: ComponentProps<"a">) {
  if (href.startsWith("/note/")) return <Link href={href}>{children}</Link>;
  return (
    <a href={href} rel="noreferrer noopener nofollow" target={href.startsWith("#") ? undefined : "_blank"}>
      {children}
    </a>
  );
}

/** A picture would call another host; its address is shown instead. */
function Picture({ src, alt }: ComponentProps<"img">) {
  const address = typeof src === "string" ? src : "";
  return (
    <a href={address} rel="noreferrer noopener nofollow" target="_blank">
      {alt || address || "picture"}
    </a>
  );
}
