import type { Diagnostic } from "../catalogue.js";

/** MG66xx: what hosts and models do with the entries of a contract. */
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
  MG6604: {
    title: "A member of an extension is wrong",
    exit: 1,
    mayWarn: true,
    explanation:
      "An extension adds a member to tools, resources, resource templates or prompts, such as `_meta.ui`, and the value in this entry is not what the extension defines: hosts that know the extension reject or ignore it. The message names the extension and its version: one of the schema folder, otherwise one that mcpgen brings. An unknown key is a warning, because a newer version may define it. `mcpgen extension add` stores another version.",
  },
  MG6605: {
    title: "A member belongs to an extension that is not declared",
    exit: 0,
    explanation:
      "A server declares this extension in its capabilities, and this one does not: clients may ignore the member. Enable the extension in the server (the option `extensions` of `createServer`) and add it to `capabilities` of the contract, or remove the member. Extensions that only clients declare cause no warning.",
  },
} satisfies Record<string, Diagnostic>;
