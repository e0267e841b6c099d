"use client";

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { Suspense, useEffect, useState, type ReactNode } from "react";
import { Notices } from "@/components/notices";
import { Keyboard } from "@/features/shell/keyboard";
import { OfflineBar } from "@/features/shell/offline-bar";
import { PhoneBar } from "@/features/shell/phone-bar";
import { Sidebar } from "@/features/shell/sidebar";
import { ApiError } from "@/lib/http";
import { follow } from "@/lib/live";

/** The frame around every page: data, live events, navigation, shortcuts. */
export function Shell({ children }: { children: ReactNode }) {
  const [queries] = useState(makeClient);
  useEffect(() => follow(queries), [queries]);
  return (
    <QueryClientProvider client={queries}>
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-panel px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2">
        Skip to content
      </a>
      <div className="md:grid md:min-h-dvh md:grid-cols-[13.5rem_minmax(0,1fr)]">
        <Sidebar />
        <div className="flex min-w-0 flex-col pb-20 md:pb-0">
          <PhoneBar />
          <OfflineBar />
          <main
            id="main"
            tabIndex={-1}
            className="mx-auto w-full max-w-6xl flex-1 px-4 py-5 outline-none md:px-8 md:py-7">
            {/* The pages read the address, which the export does not know. */}
            <Suspense>{children}</Suspense>
          </main>
        </div>
      </div>
      <Keyboard />
      <Notices />
    </QueryClientProvider>
  );
}

function makeClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // The server announces changes; refetching on every focus would only add noise.
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        retry: (tries, error) => tries < 1 && !(error instanceof ApiError && error.status > 0),
      },
    },
  });
}
