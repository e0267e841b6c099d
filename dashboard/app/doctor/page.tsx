import type { Metadata } from "next";

export const metadata: Metadata = { title: "Doctor" };

export { DoctorPage as default } from "@/features/doctor/doctor-page";
