import {
  Activity,
  BookOpenText,
  FolderGit2,
  House,
  Inbox,
  MonitorSmartphone,
  Settings,
  type LucideIcon,
} from "lucide-react";

export type Place = { href: string; name: string; key: string; icon: LucideIcon };

/** The seven pages, each with the key that follows g. */
export const PLACES: Place[] = [
  { href: "/", name: "Overview", key: "o", icon: House },
  { href: "/notes/", name: "Notes", key: "n", icon: BookOpenText },
  { href: "/inbox/", name: "Inbox", key: "i", icon: Inbox },
  { href: "/activity/", name: "Activity", key: "a", icon: Activity },
  { href: "/projects/", name: "Projects", key: "p", icon: FolderGit2 },
  { href: "/machines/", name: "Machines", key: "m", icon: MonitorSmartphone },
  { href: "/settings/", name: "Settings", key: "s", icon: Settings },
];

export function isHere(place: Place, path: string): boolean {
  if (place.href === "/notes/" && path.startsWith("/note")) return true;
  return place.href === "/" ? path === "/" : path.startsWith(place.href.slice(0, -1));
}
