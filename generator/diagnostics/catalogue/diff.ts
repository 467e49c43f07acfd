import type { Diagnostic } from "../diagnostic.js";

/** MG32xx: comparing two revisions or contracts. */
export const diffDiagnostics = {
  MG3201: {
    title: "A breaking difference",
    exit: 1,
    mayWarn: true,
    explanation:
      "A client or server written for the old revision or contract can fail when the other side uses the new one. `--verbose` and `--format json` print a counter-example: a message that is valid on one side only. `mcpgen explain RULE` says what to do. If the change is intended, approve the finding: the text report prints the entry for mcp-approvals.json. The finding is an error if it fails the command (`--fail-on`), and a warning otherwise.",
  },
  MG3202: {
    title: "A dangerous difference",
    exit: 1,
    mayWarn: true,
    explanation:
      "A client or server written for the old revision or contract may behave wrongly when the other side uses the new one. That depends on its code. `mcpgen explain RULE` says what to do. The finding is an error with `--fail-on dangerous` or `--fail-on any`, and a warning otherwise.",
  },
  MG3203: {
    title: "An approval matches no finding",
    exit: 0,
    explanation:
      "mcp-approvals.json has an entry whose finding does not exist any longer, because the change was reverted or has changed. Or the entry names another rule or subject than the finding with its fingerprint. Delete or correct the entry, so that it cannot approve a change that was not reviewed.",
  },
  MG3204: {
    title: "An approval has expired",
    exit: 0,
    explanation:
      "The date in `until` has passed, so the approval has no effect, and its finding can fail the command again. Review the finding: write a later date, or follow the advice of the finding and delete the entry.",
  },
  MG3205: {
    title: "The approvals file is malformed",
    exit: 3,
    explanation:
      'The file contains `{ "format": 1, "approvals": [ … ] }`. Each entry has `fingerprint`, `rule`, `subject`, `reason`, `by` and `until` (YYYY-MM-DD, the last day on which the approval is valid). An entry with `"values": "any"` in place of `fingerprint` approves every finding of its rule on its subject, whatever the old and the new value are: for a default that differs with each start. No two entries approve the same. The text report of `mcpgen diff` prints entries; replace `reason`, `by` and `until` in them.',
  },
  MG3206: {
    title: "The baseline is not a report of mcpgen diff",
    exit: 3,
    explanation:
      "`--baseline FILE` reads a report of `mcpgen diff OLD NEW --format json`. Findings whose fingerprints are in that report do not fail the command. Write the file again with that command.",
  },
  MG3207: {
    title: "A severity in the configuration is not allowed",
    exit: 2,
    explanation:
      "`diff.rules` in the configuration maps rule ids to `breaking`, `dangerous`, `safe` or `off`. The message names the wrong id or value. `mcpgen explain` lists the rules, and `mcpgen explain RULE` describes one.",
  },
  MG3208: {
    title: "There is no such revision or file",
    exit: 2,
    explanation:
      "`mcpgen diff` compares revisions of the schema folder, given by name, and schema files, given by path or URL. `mcpgen revision list` shows the revisions.",
  },
  MG3209: {
    title: "The code of --uses cannot be read",
    exit: 2,
    explanation:
      "`--uses` takes a folder or a tsconfig file. In a folder mcpgen reads the TypeScript files, and beside them the JavaScript files that import mcpgen or an official SDK; if there is no TypeScript, it reads all JavaScript files. It takes the options of the nearest tsconfig.json. A tsconfig file names its files. The message says what is wrong: the path is neither, there are no such files, or the tsconfig file is malformed. A tsconfig file with only `references` names no files: pass one of the files that it refers to.",
  },
  MG3210: {
    title: "A file of --uses has a syntax error",
    exit: 0,
    explanation:
      "The TypeScript compiler skips code that it cannot parse, so the report may lack uses in this file. Correct the syntax error and run the command again. Type errors do not matter: mcpgen does not type-check the code.",
  },
  MG3211: {
    title: "Imports of generated code or of an SDK cannot be resolved",
    exit: 0,
    explanation:
      "The compiler does not find the generated code or the SDK that a file imports. Without the types, mcpgen finds uses by name alone, so a place may be about something else. If an official SDK is not installed, mcpgen finds imported names, methods and functions of clients and servers, but no members of its types. Install the packages or run `mcpgen generate`, and compare again.",
  },
} satisfies Record<string, Diagnostic>;
