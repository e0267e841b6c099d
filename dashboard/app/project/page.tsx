import type { Metadata } from "next";
import { Suspense } from "react";
import { ProjectPage } from "@/features/project/project-page";

export const metadata: Metadata = { title: "Project" };

export default function Page() {
  return (
    <Suspense>
      <ProjectPage />
    </Suspense>
  );
}
