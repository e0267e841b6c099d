"use client";

import { Dialog } from "@/components/ui/dialog";
import { Kbd } from "@/components/ui/kbd";
import { useRegistered } from "@/lib/keys";

const MOD = /Mac|iP/.test(globalThis.navigator?.platform) ? "⌘" : "Ctrl";

/** The shortcuts that work on this page, as they are registered. */
export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose} className="w-[min(46rem,calc(100vw-1.5rem))]">
      <div className="grid gap-x-8 gap-y-5 p-5 sm:grid-cols-3">
        {useRegistered().map(({ where, rows }) => (
          <section key={where}>
            <h3 className="mb-2 text-xs font-semibold text-faint">{where}</h3>
            <dl className="space-y-1.5 text-sm">
              {rows.map(([keys, does]) => (
                <div key={keys} className="flex items-center gap-2.5">
                  <dt className="flex w-18 shrink-0 gap-1">
                    {keys
                      .replace("mod+", `${MOD} `)
                      .split(" ")
                      .map((key) => (
                        <Kbd key={key}>{key}</Kbd>
                      ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
