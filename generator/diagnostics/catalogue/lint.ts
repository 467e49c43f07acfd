import type { Diagnostic } from "../diagnostic.js";

/** MG66xx: what hosts and models do with the entries of a contract. */
export const lintDiagnostics = {
  MG6601: {
    title: "A host rejects a tool",
    exit: 1,
    explanation:
      "The contract is valid MCP, but the model interface behind a host rejects the schema of the tool, usually together with all other tools of the request. The message names the rule and the profiles (model interfaces) that it applies to. `mcpgen explain RULE` gives the reason and the remedy; `mcpgen explain` lists all rules. `--profile` selects the profiles.",
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
  MG6606: {
    title: "A tool requires tasks",
    exit: 0,
    explanation:
      'Most hosts have no tasks, and a tool with `task: { support: "required" }` refuses them: with -32021 at 2026-07-28, with -32601 at 2025-11-25, with a failed result at earlier revisions. With `"optional"` the same handler serves them: they wait for the result, and get its progress. For hosts that end a call after a time, add a tool that starts the work and returns an id, and one that returns its state. If the tool must not run without tasks, write a comment `mcpgen-allow MG6606: REASON` above the member.',
  },
  MG6607: {
    title: "A replayed handler does something outside of once",
    exit: 0,
    explanation:
      'With `onRestart: "replay"`, and after each answer to an ask, the handler runs again from its first line. What stands outside of `context.once` then happens again: a call that is awaited or returns a promise, a call of `node:fs`, `node:child_process` or the network, and a value that differs from run to run, such as `Date.now()` or `crypto.randomUUID()`. In `await context.once("KEY", () => …)` the result is stored, and a later run gets it from there. Calls on the context, calls that are given the context, `once` or `ask`, functions of the handler itself, and `node:timers/promises` are not reported. If repeating it does no harm, write a comment `mcpgen-allow MG6607: REASON` in the line or above it.',
  },
  MG6608: {
    title: "There is no contract file to fix",
    exit: 2,
    explanation:
      "`mcpgen lint FILE --fix` changes the file of a contract. What a live server lists, a download, standard input and code have no such file. Correct the code of the server; or write its contract with `mcpgen capture SOURCE --out FILE`, fix that file, and generate the server from it.",
  },
} satisfies Record<string, Diagnostic>;
