import type { Diagnostic } from "../diagnostic.js";

/** MG67xx: packaging a server for others. */
export const packageDiagnostics = {
  MG6701: {
    title: "The package does not work for other people yet",
    exit: 0,
    explanation:
      "mcpgen has written the files, but the project lacks something. The MCP registry accepts an npm package only if its `mcpName` is the name in server.json. Hosts start the package with npx, which needs `bin`, and `#!/usr/bin/env node` as the first line of the program. A Docker image cannot contain a dependency outside the project folder: use a version from a registry. The message says what to change.",
  },
  MG6702: {
    title: "Data that the package format requires is missing",
    exit: 2,
    explanation:
      "A bundle requires an author. The MCP registry requires a namespace that the publisher owns. Every format requires a package.json that contains an object, whose `name` is one that npm allows. The message names the missing part and the option or member that provides it.",
  },
} satisfies Record<string, Diagnostic>;
