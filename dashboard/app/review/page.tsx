import type { Metadata } from "next";

export const metadata: Metadata = { title: "Review" };

export { Review as default } from "@/features/review/review";
