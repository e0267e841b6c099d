// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { expect, test, vi } from "vitest";
import { useAct } from "./act";

const wrapper = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={new QueryClient()}>{children}</QueryClientProvider>
);

test("a double click is one change, and a later click another", async () => {
  const change = vi.fn(() => Promise.resolve("done"));
  const { result } = renderHook(() => useAct(change), { wrapper });
  for (const times of [1, 2]) {
    act(() => {
      result.current.mutate();
      result.current.mutate();
    });
    await waitFor(() => expect(result.current.isSuccess).toBe(true));
    await waitFor(() => expect(change).toHaveBeenCalledTimes(times));
    await act(async () => {});
  }
});
