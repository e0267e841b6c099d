"use client";

import { Failure } from "@/components/loaded";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
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
    <Dialog title={`Forget ${name}?`} onClose={onClose}>
      <div className="space-y-4 p-5 pt-2">
        <p className="text-base text-soft">
          This removes it from the list on every machine. Its notes stay, and it comes back when it syncs again.
        </p>
        {forget.error && <Failure error={forget.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" disabled={forget.isPending} onClick={() => forget.mutate(undefined)}>
            Forget
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
