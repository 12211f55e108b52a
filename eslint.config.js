// Rules for the pages in the browser and the example bot; `npm run lint`.
import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    files: ["src/bolicho/web/pages/*.js", "src/bolicho/site/pages/*.js", "src/bolicho/wasm/javascript/**/*.js"],
    languageOptions: {globals: {...globals.browser, ...globals.serviceworker}},
  },
  {files: ["examples/bots/*.mjs", "tests/wasm/*.mjs", "src/bolicho/bench/*.mjs"], languageOptions: {globals: globals.nodeBuiltin}},
  {
    rules: {
      "eqeqeq": ["error", "always", {null: "ignore"}],
      "no-unused-vars": ["error", {ignoreRestSiblings: true}],
      "no-var": "error",
      "prefer-const": "error",
    },
  },
];
