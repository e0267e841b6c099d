// Navigation. Pages come from the server, so while it is unreachable we stay, say so, and lose nothing.
import { useRouter } from "next/navigation";
import { useMemo } from "react";
import { connection } from "./http";
import { tell } from "./notice";

type Options = { scroll?: boolean };

export type Go = { push: (href: string, options?: Options) => void; back: () => void };

export function useGo(): Go {
  const router = useRouter();
  return useMemo(
    () => ({
      push: (href, options) => {
        if (connection.get() !== "open")
          tell("The dashboard server does not answer, so you stay on this page. Try again when it is back.", true);
        else router.push(href, options);
      },
      back: () => router.back(),
    }),
    [router],
  );
}
