import { defineConfig } from "vitest/config";

// One browser walk at a time: they share a machine, and some of them measure.
export default defineConfig({
  test: {
    include: ["**/*.e2e.ts"],
    fileParallelism: false,
    retry: 1, // a browser on a busy machine may miss a moment once, not twice
    testTimeout: 90_000,
    hookTimeout: 180_000,
    globalSetup: ["e2e/setup.ts"],
  },
});
