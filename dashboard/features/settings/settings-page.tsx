"use client";

import { Loaded } from "@/components/loaded";
import { PageHeader } from "@/components/page-header";
import { Panel } from "@/components/ui/panel";
import { SettingRow } from "@/features/settings/setting-row";
import { ThemeChoice } from "@/features/shell/theme-choice";
import { useSettings } from "@/lib/queries";

/** Every setting, its current value and where it is set. */
export function SettingsPage() {
  return (
    <>
      <PageHeader title="Settings" about="The environment overrides config.json, which overrides the default." />
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
