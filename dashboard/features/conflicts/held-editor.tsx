import { Button } from "@/components/ui/button";
import { Field, Textarea } from "@/components/ui/field";
import type { HeldNote } from "@/lib/schemas/fleet";
import type { Typed } from "@/lib/typed";

type Props = {
  held: HeldNote;
  typed: Typed<{ title: string; text: string }>;
  busy: boolean;
  onSave: () => void;
  onClose: () => void;
};

/** The text that replaces both versions. */
export function HeldEditor({ held, typed, busy, onSave, onClose }: Props) {
  return (
    <div className="mt-4 space-y-3">
      <Field label="The text to keep, with its front matter">
        {(ids) => (
          <Textarea
            {...ids}
            dir="auto"
            value={typed.fields.text}
            onChange={(event) => typed.set({ text: event.target.value })}
            className="min-h-72 font-mono text-sm!"
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button look="primary" disabled={busy} onClick={onSave}>
          Use this text
        </Button>
        {held.theirs !== null && (
          <Button disabled={busy} onClick={() => typed.set({ text: held.theirs ?? "" })}>
            Start from theirs
          </Button>
        )}
        {typed.changed && (
          <Button disabled={busy} onClick={typed.discard}>
            Discard my text
          </Button>
        )}
        <Button onClick={onClose}>Close the editor</Button>
      </div>
    </div>
  );
}
