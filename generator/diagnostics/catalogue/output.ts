import type { Diagnostic } from "../catalogue.js";

/** MG30xx: planning and writing output. MG31xx: check and drift. */
export const outputDiagnostics = {
} satisfies Record<string, Diagnostic>;
