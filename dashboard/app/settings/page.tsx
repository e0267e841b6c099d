import type { Metadata } from "next";

export const metadata: Metadata = { title: "Settings" };

export { SettingsPage as default } from "@/features/settings/settings-page";
