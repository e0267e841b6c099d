import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";

type Props = { onStay: () => void; onKeep: () => void; onDiscard: () => void };

/** What happens to typed text when a form is cancelled. */
export function LeaveForm({ onStay, onKeep, onDiscard }: Props) {
  return (
    <Dialog title="Leave without saving?" onClose={onStay}>
      <div className="space-y-4 p-5 pt-2">
        <p className="text-sm text-soft">
          A draft is saved in this browser: the form opens with it next time, and the inbox lists it.
        </p>
        <div className="flex flex-wrap justify-end gap-2">
          <Button look="danger" onClick={onDiscard}>
            Discard
          </Button>
          <Button onClick={onKeep}>Keep as a draft</Button>
          <Button look="primary" onClick={onStay}>
            Keep writing
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
