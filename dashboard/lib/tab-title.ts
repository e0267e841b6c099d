import { useEffect } from "react";

/** Name the browser's tab after what is open in it. */
export function useTabTitle(title: string): void {
  useEffect(() => {
    document.title = `${title.replaceAll("`", "") || "Untitled"} · Anamnesis`;
  }, [title]);
}
