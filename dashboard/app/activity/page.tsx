import type { Metadata } from "next";

export const metadata: Metadata = { title: "Activity" };

export { ActivityPage as default } from "@/features/activity/activity-page";
