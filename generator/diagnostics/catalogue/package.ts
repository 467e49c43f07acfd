import type { Diagnostic } from "../catalogue.js";

/** MG67xx: packaging a server for others. */
export const packageDiagnostics = {
  MG6701: {
    title: "Something keeps the package from being used",
    exit: 0,
    explanation:
      "The files were written, but others cannot use them yet. The MCP registry takes an npm package whose `mcpName` is the name in server.json, and hosts start it with npx, which needs `bin` and a first line `#!/usr/bin/env node`. An image has no dependency that lies outside of the project.",
  },
  MG6702: {
    title: "The package lacks what its format requires",
    exit: 2,
    explanation:
      "A bundle names its author, the MCP registry a namespace that belongs to the publisher, and both a package.json. The message names what is missing, and the option or member that gives it.",
  },
} satisfies Record<string, Diagnostic>;
