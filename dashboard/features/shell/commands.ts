import { useQuery } from "@tanstack/react-query";
import { usePathname, useSearchParams } from "next/navigation";
import { PLACES } from "@/features/shell/places";
import { useSync } from "@/features/sync/sync-summary";
import { ask } from "@/lib/api";
import { noteLink } from "@/lib/filter";
import { useGo } from "@/lib/go";
import { copy } from "@/lib/notice";
import { useTag } from "@/lib/tag";
import { chooseTheme, THEMES } from "@/lib/theme";

export type Command = { key: string; name: string; run: () => void };

/** Everything the palette can do besides finding notes: the open note first, then pages and commands. */
export function useCommands(): Command[] {
  const router = useGo();
  const note = useNoteCommands();
  const sync = useSync();
  const pages = PLACES.map((place) => ({ href: place.href, name: `Go to ${place.name}` }));
  const also = [
    { href: "/note/new/", name: "New note" },
    { href: "/notes/?view=tags", name: "Go to Tags" },
  ];
  return [
    ...note,
    ...[...pages, ...also].map(({ href, name }) => ({ key: href, name, run: () => router.push(href) })),
    { key: "sync", name: "Sync now", run: sync.mutate },
    ...THEMES.map((theme) => ({ key: theme, name: `Theme: ${theme}`, run: () => chooseTheme(theme) })),
  ];
}

/** What can be done with the note that is open. */
function useNoteCommands(): Command[] {
  const router = useGo();
  const asked = useSearchParams();
  const open = usePathname().startsWith("/note/") ? (asked.get("id") ?? "") : "";
  const { data: note } = useQuery(ask.note(open));
  const pinned = note?.tags.includes("pinned") ?? false;
  const pin = useTag(open, "pinned", pinned);
  if (!open || !note) return [];
  const show = (view: string) => () => router.push(noteLink(open, view));
  return [
    { key: "note edit", name: "Edit this note", run: show("edit") },
    { key: "note pin", name: pinned ? "Unpin this note" : "Pin this note", run: pin.mutate },
    { key: "note supersede", name: "Supersede this note", run: show("supersede") },
    {
      key: "note copy",
      name: "Copy this note as markdown",
      run: () => void copy(`# ${note.title}\n\n${note.body.trim()}\n`, "Copied as markdown."),
    },
    { key: "note versions", name: "Versions of this note", run: show("history") },
    { key: "note delete", name: "Delete this note", run: show("delete") },
  ];
}
