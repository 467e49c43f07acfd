import type { Diagnostic } from "../catalogue.js";

/** MG64xx: new projects. */
export const initDiagnostics = {
  MG6401: {
    title: "A file that is there lacks what the new project needs",
    exit: 0,
    explanation:
      "`mcpgen init` never changes a file that is there, and merges nothing into one: what your package.json or configuration lacks is printed below the message, for you to add. With npm: `npm install NAME@VERSION` for what stands under dependencies, with `--save-dev` for the rest.",
  },
  MG6402: {
    title: "The new configuration does not name the server",
    exit: 0,
    explanation:
      '`mcpgen init client --server SOURCE` writes SOURCE beside the contract in mcpgen.config.json, so that `mcpgen check` compares the server with the contract. The configuration is shared, so a SOURCE that may hold a secret (a password, a query, an assignment, an option such as --token) is left out, and so is one that needs --header. A name is left out that the files of hosts do not have from the project\'s folder. Give the server a name in .mcp.json, where secrets are variables (`${NAME}`), and write that name: `"server": "NAME"`.',
  },
} satisfies Record<string, Diagnostic>;
