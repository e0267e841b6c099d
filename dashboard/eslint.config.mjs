import next from "@next/eslint-plugin-next";
import a11y from "eslint-plugin-jsx-a11y";
import hooks from "eslint-plugin-react-hooks";
import { defineConfig, globalIgnores } from "eslint/config";
import ts from "typescript-eslint";

// Imports point one way: app -> features -> components -> lib.
const above = {
  lib: ["@/components/*", "@/features/*", "@/app/*"],
  components: ["@/features/*", "@/app/*"],
  features: ["@/app/*"],
};

const direction = Object.entries(above).map(([folder, group]) => ({
  files: [`${folder}/**/*.{ts,tsx}`],
  rules: {
    "no-restricted-imports": [
      "error",
      {
        patterns: [
          { group, message: "Imports point down: app, features, components, lib." },
          { group: ["../*"], message: "Write @/ for another folder." },
        ],
        paths:
          folder === "lib"
            ? []
            : [{ name: "next/navigation", importNames: ["useRouter"], message: "Use useGo from @/lib/go." }],
      },
    ],
  },
}));

export default defineConfig(
  globalIgnores([".next/", "out/", "next-env.d.ts", "lib/schema.d.ts", "public/", "node_modules/"]),
  ...ts.configs.strict,
  hooks.configs.flat.recommended,
  a11y.flatConfigs.strict,
  { plugins: { "@next/next": next }, rules: { ...next.configs["core-web-vitals"].rules } },
  ...direction,
  {
    rules: {
      "max-lines": ["error", { max: 200 }],
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/consistent-type-imports": "error",
    },
  },
);
