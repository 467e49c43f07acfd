import type { Diagnostic } from "../catalogue.js";

/** MG64xx: new projects. */
export const initDiagnostics = {
  MG6401: {
    title: "A file that is there lacks what the new project needs",
    exit: 1,
    explanation:
      "`mcpgen init` never changes a file that is there, and merges nothing into one: what your package.json or configuration lacks is printed below the message, for you to add. With npm: `npm install NAME@VERSION` for what stands under dependencies, with `--save-dev` for the rest.",
  },
} satisfies Record<string, Diagnostic>;
