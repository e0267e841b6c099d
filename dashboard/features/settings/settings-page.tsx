"use client";

import { useQuery } from "@tanstack/react-query";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { Panel } from "@/components/ui/panel";
import { Health } from "@/features/health/health";
import { SettingRow } from "@/features/settings/setting-row";
import { ask } from "@/lib/api";

/** The health of this memory; then every setting, its current value and where it is set. */
export function SettingsPage() {
  return (
    <>
      <PageHeader title="Settings and health" />
      <div className="space-y-5">
        <Health />
        <Loaded query={useQuery(ask.settings())}>
          {(data) => (
            <Panel title={`Settings in ${data.path}`} flush>
              <ul>
                {data.settings.map((setting) => (
                  <SettingRow key={setting.name} setting={setting} />
                ))}
              </ul>
            </Panel>
          )}
        </Loaded>
      </div>
    </>
  );
}
