import { makeStore } from "@/lib/store";

/** Which overlay is open: the search palette, the help, how to purge, or none. */
export const overlay = makeStore<"palette" | "help" | "purge" | null>(null);
