import type { Metadata, Viewport } from "next";
import type { ReactNode } from "react";
import { Shell } from "@/features/shell/shell";
import "./globals.css";

export const metadata: Metadata = {
  title: { default: "Anamnesis", template: "%s · Anamnesis" },
  description: "Your memory across machines",
  robots: { index: false },
};

export const viewport: Viewport = { width: "device-width", initialScale: 1, viewportFit: "cover" };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en" suppressHydrationWarning>
      <head>
        {/* Blocking on purpose: the theme must be set before anything is painted. */}
        {/* eslint-disable-next-line @next/next/no-sync-scripts */}
        <script src="/theme.js" />
      </head>
      <body>
        <Shell>{children}</Shell>
      </body>
    </html>
  );
}
