"use client";

import { useQuery } from "@tanstack/react-query";
import { Copy, FileCode } from "lucide-react";
import { Button } from "@/components/ui/button";
import { api } from "@/lib/api";
import { copy } from "@/lib/copy";
import type { Note } from "@/lib/schemas/note";

/** Copy a note's text as markdown, or the path of its file. */
export function CopyNote({ note }: { note: Note }) {
  const { data } = useQuery({ queryKey: ["session"], queryFn: api.session, staleTime: Infinity });
  return (
    <p className="mt-5 flex flex-wrap gap-2">
      <Button small onClick={() => void copy(asMarkdown(note), "Copied as markdown.")}>
        <Copy aria-hidden /> Copy as markdown
      </Button>
      <Button small disabled={!data} onClick={() => data && void copy(`${data.root}/${note.path}`, "Copied the path.")}>
        <FileCode aria-hidden /> Copy path
      </Button>
    </p>
  );
}

function asMarkdown(note: Note): string {
  return `# ${note.title}\n\n${note.body.trim()}\n`;
}
