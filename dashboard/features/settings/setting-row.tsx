"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, type FormEvent } from "react";
import { Failure } from "@/components/loaded";
import { Button } from "@/components/ui/button";
import { Input, Select } from "@/components/ui/field";
import { useAct } from "@/lib/act";
import { api } from "@/lib/api";
import type { Setting } from "@/lib/types";

export function SettingRow({ setting }: { setting: Setting }) {
  const row = useRef<HTMLLIElement>(null);
  // The browser looked for the URL's fragment before the settings were loaded.
  useEffect(() => {
    if (window.location.hash === `#${setting.name}`) row.current?.scrollIntoView({ block: "center" });
  }, [setting.name]);
  const [editing, setEditing] = useState(false);
  return (
    <li
      ref={row}
      id={setting.name}
      className="scroll-mt-6 border-b border-line px-4 py-3 last:border-0 target:bg-accent-wash">
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <div className="min-w-0 flex-[1_1_16rem]">
          <h3 className="font-mono text-sm font-medium">{setting.name}</h3>
          <p className="text-sm text-faint">{setting.about}</p>
        </div>
        <div className="min-w-0 flex-[1_1_14rem] text-sm">
          {setting.value ? <span>{shown(setting)}</span> : <span className="text-faint italic">not set</span>}
          <span className="block text-xs text-faint">{origin(setting)}</span>
        </div>
        <div className="w-16 text-right max-sm:empty:hidden">
          {setting.kind !== "folder" && !editing && (
            <Button small aria-label={`Change ${setting.name}`} onClick={() => setEditing(true)}>
              Change
            </Button>
          )}
        </div>
      </div>
      {editing && <Editor setting={setting} onDone={() => setEditing(false)} />}
    </li>
  );
}

function Editor({ setting, onDone }: { setting: Setting; onDone: () => void }) {
  const queries = useQueryClient();
  const [value, setValue] = useState(() => typed(setting));
  const save = useAct((text: string | null) => api.set(setting.name, text), {
    quiet: true,
    say: `Saved ${setting.name}.`,
    then: (answer) => {
      queries.setQueryData(["settings"], answer);
      onDone();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(value);
  };
  const choices = setting.kind === "switch" ? ["1", "0"] : setting.choices;
  const field = { "aria-label": setting.name, value, className: "max-w-md flex-[1_1_16rem]", autoFocus: true };
  return (
    <form onSubmit={submit} className="mt-3 space-y-2">
      {save.error && <Failure error={save.error} />}
      <div className="flex flex-wrap gap-2">
        {choices.length > 0 ? (
          <Select
            {...field}
            options={choices}
            nameOf={(choice) => shown({ ...setting, value: choice })}
            onChange={(event) => setValue(event.target.value)}
          />
        ) : (
          <Input
            {...field}
            type={setting.secret ? "password" : "text"}
            autoComplete="off"
            placeholder={setting.secret ? "type a new value; the current one is never shown" : ""}
            onChange={(event) => setValue(event.target.value)}
          />
        )}
        <Button type="submit" look="primary" disabled={save.isPending || !value}>
          Save
        </Button>
        {setting.source === "config.json" && (
          <Button look="danger" disabled={save.isPending} onClick={() => save.mutate(null)}>
            Unset
          </Button>
        )}
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  );
}

const OFF = ["0", "false", "no", "off"];

/** A value for display: a switch is on or off, however it is stored. */
function shown({ kind, value }: Setting): string {
  if (kind !== "switch") return value;
  return OFF.includes(value.toLowerCase()) ? "off" : "on";
}

/** What the field starts with. */
function typed(setting: Setting): string {
  if (setting.secret) return "";
  return setting.kind === "switch" ? (shown(setting) === "on" ? "1" : "0") : setting.value;
}

function origin(setting: Setting): string {
  if (setting.source === "environment") return `from ${setting.variable}, which overrides config.json`;
  return setting.source === "config.json" ? "from config.json" : "the default";
}
