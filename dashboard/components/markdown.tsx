import dynamic from "next/dynamic";

/** A note's body, rendered; what renders it is loaded with the first one. */
export const Markdown = dynamic(() => import("@/components/rendered").then((module) => module.Markdown), {
  ssr: false,
});
