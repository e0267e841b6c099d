import type { Metadata } from "next";

export const metadata: Metadata = { title: "Projects" };

export { ProjectsPage as default } from "@/features/projects/projects-page";
