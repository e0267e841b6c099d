"use client";

import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";

type Item = { label: string; icon: ReactNode; danger?: boolean; onSelect: () => void };

/** A menu of actions behind one button. */
export function Menu({ trigger, items }: { trigger: ReactNode; items: Item[] }) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={6}
          className="z-30 min-w-44 rounded-lg border border-line bg-panel p-1 shadow-xl"
        >
          {items.map((item) => (
            <DropdownMenu.Item
              key={item.label}
              onSelect={item.onSelect}
              className={`flex cursor-pointer items-center gap-2 rounded-md px-2.5 py-1.5 text-[0.87rem] outline-none data-[highlighted]:bg-sunken [&_svg]:size-4 ${item.danger ? "text-bad" : ""}`}
            >
              {item.icon}
              {item.label}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
