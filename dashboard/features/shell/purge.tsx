"use client";

import { Copy } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { copy } from "@/lib/notice";

/** How to purge. It rewrites the history on every machine, so it is done in a terminal, where it asks first. */
export function Purge({ onClose }: { onClose: () => void }) {
  const open = new URLSearchParams(window.location.search).get("id");
  const id = open && window.location.pathname.startsWith("/note/") ? open : "ID";
  const commands: [string, string][] = [
    [`anamnesis purge ${id}`, id === "ID" ? "a note" : "the open note"],
    ["anamnesis purge --text 'TEXT'", "a text, in every note that contains it"],
    ["anamnesis purge --secrets", "every credential that was found"],
  ];
  return (
    <Dialog title="Purge" onClose={onClose}>
      <div className="space-y-4 px-5 pt-2 pb-5">
        <p className="text-base text-soft">
          A purge removes something from every version, here, at the remote, and on the other machines when they sync.
          It cannot be undone. Run it in a terminal: it shows what it will do and asks before it starts.
        </p>
        <ul className="space-y-3">
          {commands.map(([command, what]) => (
            <li key={command} className="flex items-end justify-between gap-3">
              <span className="min-w-0">
                <span className="block text-sm text-faint">{what}</span>
                <code className="font-mono text-sm break-words">{command}</code>
              </span>
              <Button small aria-label={`Copy ${command}`} onClick={() => void copy(command, "Copied the command.")}>
                <Copy aria-hidden /> Copy
              </Button>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}
