// A change to the store as one call: errors are shown, every answer is asked again, and it can be undone.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { tell, useTellWithUndo } from "./notice";

type Done<A> = {
  /** What to say when it is done; nothing if empty. */
  say?: string | ((answer: A) => string);
  undo?: (answer: A) => Promise<unknown>;
  canUndo?: (answer: A) => boolean;
  then?: (answer: A) => void;
  /** The caller shows the error itself. */
  quiet?: boolean;
};

export function useAct<A, V = void>(act: (value: V) => Promise<A>, done: Done<A> = {}) {
  const { say = "", undo, canUndo, then, quiet } = done;
  const queries = useQueryClient();
  const tellWithUndo = useTellWithUndo();
  // Of a double click, both halves come before the button can be shown as disabled.
  const busy = useRef(false);
  const mutation = useMutation({
    mutationFn: act,
    onSuccess: (answer) => {
      const said = typeof say === "string" ? say : say(answer);
      if (said && undo && (canUndo?.(answer) ?? true)) tellWithUndo(said, () => undo(answer));
      else if (said) tell(said);
      then?.(answer);
    },
    onError: (error) => !quiet && tell(error.message, true),
    onSettled: () => {
      busy.current = false;
      void queries.invalidateQueries();
    },
  });
  const mutate: typeof mutation.mutate = (...given) => {
    if (busy.current) return;
    busy.current = true;
    mutation.mutate(...given);
  };
  return { ...mutation, mutate };
}
