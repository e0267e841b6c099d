import { makeStore } from "@/lib/store";

/** Which overlay is open: the search palette, the help, or none. */
export const overlay = makeStore<"palette" | "help" | null>(null);
