import { useQueryClient } from "@tanstack/react-query";
import { tell } from "./notice";

/** Say what was done, with a button to undo it. */
export function useTellWithUndo(): (text: string, undo: () => Promise<unknown>) => void {
  const queries = useQueryClient();
  return (text, undo) => {
    const run = () =>
      void undo().then(
        () => {
          tell("Undone.");
          void queries.invalidateQueries();
        },
        (error: Error) => tell(error.message, true),
      );
    tell(text, false, { label: "Undo", run });
  };
}
