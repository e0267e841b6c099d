"use client";

import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { Loaded } from "@/components/loaded";
import { PageTitle } from "@/components/page-header";
import { Panel } from "@/components/ui/panel";
import { Tabs } from "@/components/ui/tabs";
import { Health } from "@/features/health/health";
import { SettingRow } from "@/features/settings/setting-row";
import { ask } from "@/lib/api";
import { useGo } from "@/lib/go";

/** The health of this memory; or every setting, its current value and where it is set. */
export function SettingsPage() {
  const router = useGo();
  const view = useSearchParams().get("view") === "settings" ? "settings" : "health";
  return (
    <Tabs
      label="Health or settings"
      value={view}
      onChange={(next) => router.push(next === "settings" ? "/settings/?view=settings" : "/settings/")}
      heading={<PageTitle>Settings</PageTitle>}
      tabs={[
        { value: "health", label: "Health", content: <Health /> },
        { value: "settings", label: "Settings", content: <Settings /> },
      ]}
    />
  );
}

function Settings() {
  return (
    <Loaded query={useQuery(ask.settings())}>
      {(data) => (
        <Panel title={data.path} flush>
          <ul>
            {data.settings.map((setting) => (
              <SettingRow key={setting.name} setting={setting} />
            ))}
          </ul>
        </Panel>
      )}
    </Loaded>
  );
}
