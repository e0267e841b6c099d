import type { Metadata } from "next";

export const metadata: Metadata = { title: "Project" };

export { ProjectPage as default } from "@/features/project/project-page";
