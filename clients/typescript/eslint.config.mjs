import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist", "build", "eslint.config.mjs", "generate.mjs", "two_minutes.mjs"] },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { project: ["tsconfig.json", "tests/tsconfig.json", "examples/tsconfig.json", "../../examples/reports/tsconfig.json"] } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-unnecessary-condition": ["error", { allowConstantLoopConditions: true }],
    },
  },
  // Generated code: unions of a string type and literals document the usual values.
  { files: ["src/calls.ts"], rules: { "@typescript-eslint/no-redundant-type-constituents": "off" } },
  // Modules of NestJS are empty classes with decorators.
  { files: ["examples/nest.ts"], rules: { "@typescript-eslint/no-extraneous-class": ["error", { allowWithDecorator: true }] } },
  // In tests, variables named `_…` may be unused, and promises need no `await`.
  {
    files: ["tests/**", "src/*.test.ts"],
    rules: {
      "@typescript-eslint/no-unused-vars": ["error", { varsIgnorePattern: "^_" }],
      "@typescript-eslint/no-floating-promises": "off",
    },
  },
);
