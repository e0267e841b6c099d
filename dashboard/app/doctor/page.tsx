import type { Metadata } from "next";
import { Suspense } from "react";
import { DoctorPage } from "@/features/doctor/doctor-page";

export const metadata: Metadata = { title: "Doctor" };

export default function Page() {
  return (
    <Suspense>
      <DoctorPage />
    </Suspense>
  );
}
