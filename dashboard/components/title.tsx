import { Phrase } from "@/components/phrase";

/** A note's title; what stands between backticks in it is code, and any script reads in its own direction. */
export function Title({ text, terms }: { text: string; terms?: string[] }) {
  return (
    <bdi>
      <Phrase text={text || "Untitled"} terms={terms} />
    </bdi>
  );
}
