import type { Metadata } from "next";

export const metadata: Metadata = { title: "Sessions" };

export { SessionsPage as default } from "@/features/sessions/sessions-page";
