import type { Diagnostic } from "../catalogue.js";

/** MG66xx: what hosts and models do with the tools of a contract. */
export const lintDiagnostics = {
  MG6601: {
    title: "A host rejects a tool",
    exit: 1,
    explanation:
      "The contract is valid MCP, but the model interface behind a host rejects the schema of the tool, usually together with all other tools of the request. The message names the rule and the profiles (model interfaces) that it applies to. `mcpgen explain RULE` gives the reason and the remedy; docs/lint.md lists all rules. `--profile` selects the profiles.",
  },
  MG6602: {
    title: "A host or a model may misread a tool",
    exit: 0,
    explanation:
      "Some hosts change or reject the schema, or a model may misunderstand the tool. The message names the rule and the profiles. `mcpgen explain RULE` gives the reason and the remedy.",
  },
  MG6603: {
    title: "A tool exceeds the token budget",
    exit: 1,
    explanation:
      "A host sends every tool of a server to the model in each request, so each tool uses part of the model's context. `--budget` limits the tokens of one tool. mcpgen estimates tokens as the bytes of the tool's entry in `tools/list`, divided by four. Shorten the description, remove what the names already say, or split the tool.",
  },
} satisfies Record<string, Diagnostic>;
