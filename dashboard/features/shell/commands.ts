import { useQueryClient } from "@tanstack/react-query";
import { openPurge } from "@/features/shell/overlays";
import { PLACES } from "@/features/shell/places";
import { useSync } from "@/features/sync/use-sync";
import { useGo } from "@/lib/go";
import { chooseTheme, THEMES } from "@/lib/theme";

type Command = { key: string; name: string; run: () => void };

const ALSO = [
  { href: "/note/new/", name: "New note" },
  { href: "/preview/", name: "Preview: what would Claude be told now?" },
  { href: "/tags/", name: "Go to Tags" },
];

/** Everything the palette can do besides finding notes: pages first, then commands. */
export function useCommands(): Command[] {
  const router = useGo();
  const queries = useQueryClient();
  const { run: sync, running } = useSync();
  const pages = PLACES.map((place) => ({ href: place.href, name: `Go to ${place.name}` }));
  return [
    ...[...pages, ...ALSO].map(({ href, name }) => ({ key: href, name, run: () => router.push(href) })),
    ...(running ? [] : [{ key: "sync", name: "Sync now", run: sync }]),
    {
      key: "doctor again",
      name: "Run the doctor again",
      run: () => {
        void queries.invalidateQueries({ queryKey: ["doctor"] });
        router.push("/doctor/");
      },
    },
    { key: "purge", name: "Purge: remove something from every version", run: openPurge },
    ...THEMES.map((theme) => ({
      key: theme,
      name: theme === "system" ? "Theme: system" : `Theme: ${theme}`,
      run: () => chooseTheme(theme),
    })),
  ];
}
