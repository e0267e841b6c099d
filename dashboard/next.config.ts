import type { NextConfig } from "next";
import { PHASE_DEVELOPMENT_SERVER } from "next/constants";

const API = process.env.ANAMNESIS_API ?? "http://127.0.0.1:3001";

// The export knows no rewrites; development has nothing to export. Hence one shape for each.
export default function config(phase: string): NextConfig {
  const shared: NextConfig = { trailingSlash: true, poweredByHeader: false, reactStrictMode: true };
  if (phase === PHASE_DEVELOPMENT_SERVER) {
    return {
      ...shared,
      // Compression would hold back the live events until a buffer is full.
      compress: false,
      skipTrailingSlashRedirect: true,
      rewrites: async () => [{ source: "/api/:path*", destination: `${API}/api/:path*` }],
    };
  }
  return { ...shared, output: "export" };
}
