import js from '@eslint/js';
import globals from 'globals';

export default [
  js.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: 'error', 'no-implicit-globals': 'error', 'no-promise-executor-return': 'error', 'no-shadow': 'error',
      'no-unmodified-loop-condition': 'error', 'no-unused-vars': ['error', { argsIgnorePattern: '^_' }], 'no-var': 'error',
      'object-shorthand': 'error', 'prefer-const': 'error', 'prefer-template': 'error',
    },
  },
  { files: ['web/assets/**'], languageOptions: { sourceType: 'script', globals: globals.browser }, rules: { 'no-implicit-globals': 'off' } },
  // Tests also have functions that run in the page.
  { files: ['web/tests/**'], languageOptions: { globals: { ...globals.node, ...globals.browser } } },
];
