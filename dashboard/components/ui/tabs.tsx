"use client";

import * as Radix from "@radix-ui/react-tabs";
import type { ReactNode } from "react";

type Tab = { value: string; label: string; content: ReactNode };

export function Tabs({ label, tabs, value, onChange }: {
  label: string;
  tabs: Tab[];
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <Radix.Root value={value} onValueChange={onChange}>
      <Radix.List aria-label={label} className="flex gap-5 border-b border-line">
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className="-mb-px border-b-2 border-transparent pb-1.5 text-sm font-medium text-faint hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className="pt-4">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
