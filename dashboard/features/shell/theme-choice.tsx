"use client";

import clsx from "clsx";
import { Monitor, Moon, Sun } from "lucide-react";
import { chooseTheme, THEMES, useTheme } from "@/lib/theme";

const ICONS = { system: Monitor, light: Sun, dark: Moon };

export function ThemeChoice() {
  const chosen = useTheme();
  return (
    <div role="radiogroup" aria-label="Colours" className="flex rounded-md border border-line p-0.5">
      {THEMES.map((theme) => {
        const Icon = ICONS[theme];
        return (
          <button
            key={theme}
            type="button"
            role="radio"
            aria-checked={chosen === theme}
            aria-label={theme}
            title={theme}
            onClick={() => chooseTheme(theme)}
            className={clsx(
              "grid h-7 flex-1 place-items-center rounded",
              chosen === theme ? "bg-panel text-ink shadow-[0_0_0_1px_var(--line)]" : "text-faint hover:text-ink",
            )}
          >
            <Icon aria-hidden className="size-4" />
          </button>
        );
      })}
    </div>
  );
}
