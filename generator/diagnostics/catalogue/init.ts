import type { Diagnostic } from "../diagnostic.js";

/** MG64xx: new projects. */
export const initDiagnostics = {
  MG6401: {
    title: "An existing file lacks parts that the new project needs",
    exit: 0,
    explanation:
      "`mcpgen init` never changes an existing file. Below the message it prints the members that your package.json or mcpgen configuration lacks: add them. For npm packages, run `npm install NAME@VERSION` for those in `dependencies`, and add `--save-dev` for those in `devDependencies`.",
  },
  MG6402: {
    title: "The new configuration does not name the server",
    exit: 0,
    explanation:
      '`mcpgen init client --server SOURCE` writes SOURCE beside the contract in mcpgen.config.json, so that `mcpgen check` compares the server with the contract. Other people read that file, so mcpgen does not write a SOURCE that may contain a secret: a password, a URL query, an assignment, or an option such as --token. It writes no SOURCE that needs `--header`, and no server name that the hosts\' files do not have in the folder of the project. Name the server in .mcp.json, with variables (`${NAME}`) for secrets, and add that name to the configuration: `"server": "NAME"`.',
  },
} satisfies Record<string, Diagnostic>;
