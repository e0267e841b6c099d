"use client";

import { Ask } from "@/components/ui/ask";
import { useAct } from "@/lib/act";
import { api } from "@/lib/api";

/** Asks before a machine is removed from the list. */
export function ForgetMachine({ name, onClose }: { name: string; onClose: () => void }) {
  const forget = useAct(() => api.forgetMachine(name), {
    quiet: true,
    say: `Removed ${name} from the list. The other machines follow with the next sync.`,
    then: onClose,
  });
  return (
    <Ask
      title={`Forget ${name}?`}
      about="This removes it from the list on every machine. Its notes stay, and it comes back when it syncs again."
      confirm="Forget"
      danger
      act={forget}
      onClose={onClose}
    />
  );
}
