"use client";

import clsx from "clsx";
import { Monitor, Moon, Sun } from "lucide-react";
import { useId } from "react";
import { chooseTheme, theme as chosenTheme, THEMES } from "@/lib/theme";

const ICONS = { system: Monitor, light: Sun, dark: Moon };

export function ThemeChoice() {
  const chosen = chosenTheme.use();
  const name = useId();
  return (
    <div role="radiogroup" aria-label="Colours" className="flex rounded-md border border-line p-0.5">
      {THEMES.map((theme) => {
        const Icon = ICONS[theme];
        return (
          <label
            key={theme}
            title={theme}
            className={clsx(
              "relative grid h-7 flex-1 place-items-center rounded has-focus-visible:outline-2 has-focus-visible:outline-accent",
              chosen === theme ? "bg-panel text-ink shadow-[0_0_0_1px_var(--line)]" : "text-faint hover:text-ink",
            )}>
            <input
              type="radio"
              name={name}
              aria-label={theme}
              checked={chosen === theme}
              onChange={() => chooseTheme(theme)}
              className="absolute inset-0 cursor-pointer opacity-0"
            />
            <Icon aria-hidden className="size-4" />
          </label>
        );
      })}
    </div>
  );
}
