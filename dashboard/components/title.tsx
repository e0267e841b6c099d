import { Phrase } from "@/components/phrase";

/** A note's title; text in backticks is shown as code, and each script keeps its own direction. */
export function Title({ text, terms }: { text: string; terms?: string[] }) {
  return (
    <bdi>
      <Phrase text={text || "Untitled"} terms={terms} />
    </bdi>
  );
}
