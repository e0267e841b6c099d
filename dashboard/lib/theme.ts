// Light, dark, or the system's theme; stored in this browser.
import { makeStore } from "./store";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "anamnesis-theme";
const SYSTEM = "(prefers-color-scheme: dark)";

export const theme = makeStore<Theme>("system", {
  read,
  follow: (changed) => {
    const system = matchMedia(SYSTEM);
    const follow = () => {
      apply();
      changed();
    };
    system.addEventListener("change", follow);
    return () => system.removeEventListener("change", follow);
  },
});

export function chooseTheme(chosen: Theme): void {
  if (chosen === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, chosen);
  apply();
  theme.changed();
}

function read(): Theme {
  const chosen = localStorage.getItem(KEY);
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

function apply(): void {
  const chosen = read();
  const dark = chosen === "system" ? matchMedia(SYSTEM).matches : chosen === "dark";
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}
