import { defineConfig } from "vitest/config";

// One browser walk at a time: they share a machine, and some of them measure.
export default defineConfig({
  test: {
    include: ["**/*.e2e.ts"],
    fileParallelism: false,
    retry: 2, // a browser on a busy machine may miss a moment once or twice, not three times
    testTimeout: 90_000,
    hookTimeout: 180_000,
    globalSetup: ["e2e/setup.ts"],
  },
});
