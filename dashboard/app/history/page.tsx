import type { Metadata } from "next";

export const metadata: Metadata = { title: "History" };

export { HistoryPage as default } from "@/features/history/history-page";
