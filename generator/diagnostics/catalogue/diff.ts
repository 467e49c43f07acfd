import type { Diagnostic } from "../catalogue.js";

/** MG32xx: comparing two revisions. */
export const diffDiagnostics = {
  MG3201: {
    title: "A breaking difference between two revisions",
    exit: 1,
    explanation:
      "An implementation of the old revision stops working with a peer of the new one; the counter-example (`--verbose`, `--format json`) is a message that one of them takes and the other refuses. `mcpgen explain RULE` says what to do about it. Where the break is meant, approve the finding: the text report prints the line for mcp-approvals.json.",
  },
  MG3202: {
    title: "A difference between two revisions that may do harm",
    exit: 1,
    explanation:
      "An implementation of the old revision may go wrong with a peer of the new one, depending on what it does. Such findings fail the command only with `--fail-on dangerous` or `--fail-on any`.",
  },
  MG3203: {
    title: "An approval matches no finding",
    exit: 1,
    explanation:
      "mcp-approvals.json approves a finding that is not there: the change was taken back, or became another one; or the entry names another rule or subject than the finding of its fingerprint. Delete or correct the entry, so that it never approves a change that was not reviewed.",
  },
  MG3204: {
    title: "An approval has expired",
    exit: 1,
    explanation:
      "The day named in `until` has passed, and the finding counts again. Review it again: extend the approval, or do what its finding advises.",
  },
  MG3205: {
    title: "The approvals file is malformed",
    exit: 3,
    explanation:
      'The file holds { "format": 1, "approvals": [ … ] }, each entry with fingerprint, rule, subject, reason, by and until (YYYY-MM-DD, the last day it holds), and no fingerprint twice. The text report of `mcpgen diff` prints entries ready to be filled in.',
  },
  MG3206: {
    title: "The baseline is no report of mcpgen diff",
    exit: 3,
    explanation:
      "`--baseline FILE` takes what `mcpgen diff OLD NEW --format json` printed earlier; only findings whose fingerprint is not in it fail the command.",
  },
  MG3207: {
    title: "The configuration gives a severity that cannot be used",
    exit: 2,
    explanation:
      "`diff.rules` in the configuration maps rule ids to `breaking`, `dangerous`, `safe` or `off`. `mcpgen explain` lists the rules, docs/rules.md describes them.",
  },
  MG3208: {
    title: "There is neither such a revision nor such a file",
    exit: 2,
    explanation:
      "`mcpgen diff` compares revisions of the schema folder, by their names, and schema files, by their paths. `mcpgen revision list` shows the revisions.",
  },
  MG3209: {
    title: "The code that uses are looked for in cannot be opened",
    exit: 2,
    explanation:
      "`--uses` takes a folder, whose TypeScript files (or JavaScript files, where it has no others) are read with the options of the nearest tsconfig.json, or a tsconfig file, which names its files itself (one that only refers to others names none). Without any such file nothing can be found, and nothing is said of it.",
  },
  MG3210: {
    title: "A file that uses are looked for in does not parse",
    exit: 1,
    explanation:
      "The compiler reads what it can of such a file, so that uses behind the mistake may be missing. Nothing else is checked: code that does not type-check is looked through like any other.",
  },
  MG3211: {
    title: "Imports of generated code or of an SDK lead nowhere",
    exit: 1,
    explanation:
      "Where the compiler does not find the generated code that a file imports, what it calls its types and members is all that is known: places are found by their names, and may be of something else. Of an official SDK that is not there, imported names, methods and functions of clients and servers are found; members of its types are not. Install the packages, or run `mcpgen generate`, and compare again.",
  },
} satisfies Record<string, Diagnostic>;
