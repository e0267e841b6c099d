"use client";

import * as Radix from "@radix-ui/react-tabs";
import type { ReactNode } from "react";

type Tab = { value: string; label: string; content: ReactNode };

type Props = {
  label: string;
  tabs: Tab[];
  value: string;
  onChange: (value: string) => void;
  /** In one line with the tabs. */
  heading?: ReactNode;
  action?: ReactNode;
};

export function Tabs({ label, tabs, value, onChange, heading, action }: Props) {
  return (
    <Radix.Root value={value} onValueChange={onChange}>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2 border-b border-line">
        {heading}
        <Radix.List aria-label={label} className="-mb-px flex gap-5 self-end">
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.value}
              value={tab.value}
              className="border-b-2 border-transparent pb-1.5 text-sm font-medium text-faint hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink">
              {tab.label}
            </Radix.Trigger>
          ))}
        </Radix.List>
        {action && <div className="mb-2 ml-auto">{action}</div>}
      </div>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className="pt-4">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
