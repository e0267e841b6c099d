import type { Metadata } from "next";
import { Suspense } from "react";
import { Review } from "@/features/review/review";

export const metadata: Metadata = { title: "Review" };

export default function Page() {
  return (
    <Suspense>
      <Review />
    </Suspense>
  );
}
