import type { Diagnostic } from "../catalogue.js";

/** MG66xx: what hosts and models do with the tools of a contract. */
export const lintDiagnostics = {
  MG6601: {
    title: "A host refuses a tool",
    exit: 1,
    explanation:
      "The contract is valid, but the interface to a model that hosts hand tools to refuses it, mostly together with all other tools of the request. The message names the rule and the profiles; `mcpgen explain RULE` says why, docs/lint.md lists all rules. `--profile` selects the hosts to judge for.",
  },
  MG6602: {
    title: "A host or a model may stumble over a tool",
    exit: 0,
    explanation:
      "Some hosts mend or drop it, or a model has to guess. A warning: it does not change the exit code. `mcpgen explain RULE` says why.",
  },
  MG6603: {
    title: "A tool takes more of a model's context than its budget",
    exit: 1,
    explanation:
      "Every tool of a server stands in the context of each request, used or not. Tokens are estimated as the bytes of the tool's entry in `tools/list`, divided by four. Shorten the description, leave out what the names say already, and split schemas that describe everything at once.",
  },
} satisfies Record<string, Diagnostic>;
