"use client";

import { Dialog } from "@/components/ui/dialog";
import { Kbd } from "@/components/ui/kbd";
import { PLACES } from "@/features/shell/places";

const ANYWHERE: [string, string][] = [
  ["/", "Search notes, pages, commands"],
  ["⌘ K", "The same, even while typing"],
  ["n", "New note"],
  ["?", "This help"],
  ["Esc", "Close"],
];

const ON_A_PAGE: [string, string][] = [
  ["j", "Next in a list"],
  ["k", "Previous in a list"],
  ["Enter", "Open"],
  ["x", "Select in a list of notes"],
  ["e", "Edit the open note"],
  ["⌘ S", "Save"],
];

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose} className="w-[min(42rem,calc(100vw-1.5rem))]">
      <div className="grid gap-x-8 gap-y-5 p-5 sm:grid-cols-3">
        <Group name="Anywhere" rows={ANYWHERE} />
        <Group name="On a page" rows={ON_A_PAGE} />
        <Group name="Go to" rows={PLACES.map((place) => [`g ${place.key}`, place.name])} />
      </div>
    </Dialog>
  );
}

function Group({ name, rows }: { name: string; rows: [string, string][] }) {
  return (
    <section>
      <h3 className="mb-2 text-xs font-semibold text-faint">{name}</h3>
      <dl className="space-y-1.5 text-sm">
        {rows.map(([keys, what]) => (
          <div key={keys} className="flex items-center gap-2.5">
            <dt className="flex w-14 shrink-0 gap-1">
              {keys.split(" ").map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
