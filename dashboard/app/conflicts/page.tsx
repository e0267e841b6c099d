import type { Metadata } from "next";

export const metadata: Metadata = { title: "Conflicts" };

export { Conflicts as default } from "@/features/conflicts/conflicts";
