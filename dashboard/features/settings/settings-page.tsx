"use client";

import { useQuery } from "@tanstack/react-query";
import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { Panel } from "@/components/ui/panel";
import { SettingRow } from "@/features/settings/setting-row";
import { ThemeChoice } from "@/features/shell/theme-choice";
import { api } from "@/lib/api";

function useSettings() {
  return useQuery({ queryKey: ["settings"], queryFn: api.settings });
}

/** Every setting, its value in force and who set it. */
export function SettingsPage() {
  return (
    <>
      <PageHeader title="Settings" about="A value in the environment wins over config.json, and that over the default." />
      <div className="space-y-5">
        <Loaded query={useSettings()}>
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
        <Panel title="This browser">
          <div className="max-w-60">
            <ThemeChoice />
          </div>
        </Panel>
      </div>
    </>
  );
}
