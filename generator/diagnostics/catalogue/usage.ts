import type { Diagnostic } from "../catalogue.js";

/** MG20xx: command line. MG21xx: configuration. MG40xx: network. MG70xx: bugs of ours. */
export const usageDiagnostics = {
} satisfies Record<string, Diagnostic>;
