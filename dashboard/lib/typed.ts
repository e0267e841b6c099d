// Guards typed text: however a form is left, what was typed into it is saved as a draft.
import { useEffect, useRef, useState } from "react";
import { draftLink, dropDraft, keepDraft, takeDraft, type Fields } from "./drafts";
import { tell } from "./notice";

/** What differs from the form as it was opened, and the version of the note it is based on. */
type Edit<T> = { fields: T; origin: T; base: string };

export type Typed<T extends Fields> = {
  fields: T;
  changed: boolean;
  /** The version of the note that this edit is based on. */
  base: string;
  /** When the draft that the form was opened with was typed; empty if there was none. */
  restoredFrom: string;
  set: (change: Partial<T>) => void;
  /** Base this edit on another version. */
  rebase: (base: string) => void;
  /** The text is saved: forget the draft. */
  saved: () => void;
  /** Discard what was typed; an undo is offered. */
  discard: () => void;
};

/** The fields of a form, saved as a draft as soon as they differ from `start`, which is version `base` of a note. */
export function useTyped<T extends Fields>(place: string, start: T, base = ""): Typed<T> {
  const [opened] = useState(() => open(place, start));
  const [edit, setEdit] = useState<Edit<T> | null>(opened?.edit ?? null);
  const unsaved = useRef<Edit<T> | null>(edit);
  useEffect(() => guard(place, () => unsaved.current), [place]);
  const put = (next: Edit<T> | null) => {
    unsaved.current = next;
    setEdit(next);
    if (next) keepDraft(place, next.base, next.fields);
    else dropDraft(place);
  };
  const origin = edit?.origin ?? start;
  const over = edit?.base ?? base;
  return {
    fields: edit?.fields ?? start,
    changed: edit !== null,
    base: over,
    restoredFrom: edit && opened ? opened.at : "",
    set: (change) => {
      const fields = { ...(edit?.fields ?? start), ...change };
      put(differ(fields, origin) ? { fields, origin, base: over } : null);
    },
    rebase: (version) => edit && put({ ...edit, origin: start, base: version }),
    saved: () => {
      unsaved.current = null;
      dropDraft(place);
    },
    discard: () => {
      put(null);
      if (!edit) return;
      const bringBack = () => void keepDraft(place, edit.base, edit.fields);
      tell("Your unsaved text was discarded.", false, { label: "Undo", run: bringBack, href: draftLink(place) });
    },
  };
}

function open<T extends Fields>(place: string, start: T): { edit: Edit<T>; at: string } | null {
  const draft = takeDraft(place);
  if (!draft) return null;
  const fields = { ...start, ...draft.fields };
  return differ(fields, start) ? { edit: { fields, origin: start, base: draft.base }, at: draft.at } : null;
}

/** Guard a form until it is closed; if it closes unsaved, say where its text is. */
function guard<T extends Fields>(place: string, unsaved: () => Edit<T> | null): () => void {
  const keep = (): boolean => {
    const edit = unsaved();
    return edit === null || keepDraft(place, edit.base, edit.fields);
  };
  // If the draft is saved there is nothing to lose, and so nothing to ask.
  const ask = (event: BeforeUnloadEvent) => !keep() && event.preventDefault();
  window.addEventListener("beforeunload", ask);
  return () => {
    window.removeEventListener("beforeunload", ask);
    if (!unsaved()) return;
    const kept = keep();
    const text = kept
      ? "Your unsaved text is saved as a draft in this browser."
      : "This browser could not save your unsaved text.";
    tell(text, !kept, { label: "Keep writing", href: draftLink(place) });
  };
}

function differ(one: Fields, other: Fields): boolean {
  return Object.keys(other).some((name) => one[name] !== other[name]);
}
