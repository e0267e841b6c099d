// A change to the store as one call: errors are shown, every answer is asked again, and it can be undone.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { tell, useTellWithUndo } from "./notice";

type Done<A> = {
  /** What to say when it is done; nothing if empty. */
  say?: string | ((answer: A) => string);
  /** How to undo it; null if it cannot be undone. */
  undo?: (answer: A) => (() => Promise<unknown>) | null;
  then?: (answer: A) => void;
  /** The caller shows the error itself. */
  quiet?: boolean;
};

export function useAct<V, A>(act: (value: V) => Promise<A>, { say = "", undo, then, quiet }: Done<A> = {}) {
  const queries = useQueryClient();
  const tellWithUndo = useTellWithUndo();
  return useMutation({
    mutationFn: act,
    onSuccess: (answer) => {
      void queries.invalidateQueries();
      const said = typeof say === "string" ? say : say(answer);
      const back = undo?.(answer) ?? null;
      if (said && back) tellWithUndo(said, back);
      else if (said) tell(said);
      then?.(answer);
    },
    onError: (error) => !quiet && tell(error.message, true),
  });
}
