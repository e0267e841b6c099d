import type { Metadata } from "next";

export const metadata: Metadata = { title: "Inbox" };

export { InboxPage as default } from "@/features/inbox/inbox-page";
