import {
  BookOpenText,
  GitCommitHorizontal,
  GitMerge,
  House,
  ListChecks,
  MonitorSmartphone,
  Settings,
  Stethoscope,
  Waypoints,
  type LucideIcon,
} from "lucide-react";

export type Place = { href: string; name: string; key: string; icon: LucideIcon };

/** Every page with the key that follows g. */
export const PLACES: Place[] = [
  { href: "/", name: "Overview", key: "o", icon: House },
  { href: "/browse/", name: "Browse", key: "b", icon: BookOpenText },
  { href: "/review/", name: "Review", key: "r", icon: ListChecks },
  { href: "/map/", name: "Map", key: "p", icon: Waypoints },
  { href: "/history/", name: "History", key: "h", icon: GitCommitHorizontal },
  { href: "/machines/", name: "Machines", key: "m", icon: MonitorSmartphone },
  { href: "/conflicts/", name: "Conflicts", key: "c", icon: GitMerge },
  { href: "/settings/", name: "Settings", key: "s", icon: Settings },
  { href: "/doctor/", name: "Doctor", key: "d", icon: Stethoscope },
];
