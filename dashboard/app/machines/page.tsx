import type { Metadata } from "next";

export const metadata: Metadata = { title: "Machines" };

export { Machines as default } from "@/features/fleet/machines";
