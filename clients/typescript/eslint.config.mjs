import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist", "build", "eslint.config.mjs", "generate.mjs", "two_minutes.mjs"] },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { project: ["tsconfig.json", "tests/tsconfig.json", "examples/tsconfig.json"] } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-unnecessary-condition": ["error", { allowConstantLoopConditions: true }],
    },
  },
  // Made by generate.mjs: a word beside a text says what the text may be.
  { files: ["src/calls.ts"], rules: { "@typescript-eslint/no-redundant-type-constituents": "off" } },
  // A block ends with what it declares; the runner waits for its tests.
  {
    files: ["tests/**"],
    rules: {
      "@typescript-eslint/no-unused-vars": ["error", { varsIgnorePattern: "^_" }],
      "@typescript-eslint/no-floating-promises": "off",
    },
  },
);
