import {
  BookOpenText,
  FolderGit2,
  GitCommitHorizontal,
  GitMerge,
  House,
  ListChecks,
  MessagesSquare,
  MonitorSmartphone,
  Settings,
  Stethoscope,
  type LucideIcon,
} from "lucide-react";

export type Place = { href: string; name: string; key: string; icon: LucideIcon };

/** Every page with the key that follows g. */
export const PLACES: Place[] = [
  { href: "/", name: "Overview", key: "o", icon: House },
  { href: "/browse/", name: "Browse", key: "b", icon: BookOpenText },
  { href: "/sessions/", name: "Sessions", key: "t", icon: MessagesSquare },
  { href: "/review/", name: "Review", key: "r", icon: ListChecks },
  { href: "/project/", name: "Projects", key: "p", icon: FolderGit2 },
  { href: "/history/", name: "History", key: "h", icon: GitCommitHorizontal },
  { href: "/machines/", name: "Machines", key: "m", icon: MonitorSmartphone },
  { href: "/conflicts/", name: "Conflicts", key: "c", icon: GitMerge },
  { href: "/settings/", name: "Settings", key: "s", icon: Settings },
  { href: "/doctor/", name: "Doctor", key: "d", icon: Stethoscope },
];
