import type { Metadata } from "next";
import { Suspense } from "react";
import { MapPage } from "@/features/map/map-page";

export const metadata: Metadata = { title: "Map" };

export default function Page() {
  return (
    <Suspense>
      <MapPage />
    </Suspense>
  );
}
