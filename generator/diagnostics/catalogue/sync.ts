import type { Diagnostic } from "../catalogue.js";

/** MG65xx: the user's handlers and the contract. */
export const syncDiagnostics = {
  MG6501: {
    title: "A handler is missing",
    exit: 1,
    explanation:
      "The contract offers something that your handlers have no function for. `mcpgen sync` inserts one that throws until you write it; everything else in the file stays as it is, byte for byte.",
  },
  MG6502: {
    title: "A handler is for nothing in the contract",
    exit: 1,
    mayWarn: true,
    explanation:
      "Your handlers have a function for something that the contract does not offer, or no longer offers. A server refuses to start with it. `mcpgen sync` never deletes code: remove the function, move its body if only the name has changed, or bring the entry back into the contract. A class may have further methods: a public method that is typed as a handler (with `Handlers.Answer`, say) is an error, any other a warning.",
  },
  MG6503: {
    title: "It cannot be known whether a handler is missing",
    exit: 0,
    explanation:
      'A spread, a computed key, a base class or a call decides only when the code runs which functions there are. Nothing is inserted there; the type-checker knows better. Write the members out, or give each literal a type, such as `Handlers["tools"]`, and `mcpgen sync` can keep it complete. The same is said where members are added later, where a type such as `Partial<Handlers>` lets them be absent, and where a module that handlers come from cannot be read.',
  },
  MG6504: {
    title: "A file of handlers does not parse",
    exit: 1,
    explanation:
      "What is no TypeScript is never edited: an insertion could land anywhere. Mend the place that is named, and run `mcpgen sync` again.",
  },
  MG6505: {
    title: "A handler cannot be inserted",
    exit: 1,
    explanation:
      "After inserting, mcpgen reads the file again. Where it would not parse, or would still lack something, the file is left as it is and the text to paste is shown.",
  },
  MG6506: {
    title: "There are no handlers for a contract",
    exit: 1,
    explanation:
      'Handlers are known by their type: something declared as `Handlers` (or `Handlers["tools"]`), `satisfies Handlers`, a class that implements it, or the argument of the function that makes the server, in a file that imports it from the generated `server` module, or from one that passes it on. All TypeScript and JavaScript files below the configuration are looked at, but for node_modules, dist, coverage and hidden folders; `--handlers FILE` names them instead. What is printed can be pasted into a new file.',
  },
  MG6507: {
    title: "There is no contract of a server",
    exit: 2,
    explanation:
      '`mcpgen sync` works on the contracts that mcpgen.config.json names with the role `server` or `both`: `"contracts": [{ "file": "mcp.contract.yaml", "out": "src/generated", "role": "server" }]`.',
  },
} satisfies Record<string, Diagnostic>;
