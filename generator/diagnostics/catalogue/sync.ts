import type { Diagnostic } from "../diagnostic.js";

/** MG65xx: the user's handlers and the contract. */
export const syncDiagnostics = {
  MG6501: {
    title: "A handler is missing",
    exit: 1,
    explanation:
      "The contract has a tool, resource, resource template or prompt for which your code has no handler. `mcpgen sync` inserts a function that throws an error until you implement it. It changes nothing else in the file.",
  },
  MG6502: {
    title: "The contract has no entry for a handler",
    exit: 1,
    mayWarn: true,
    explanation:
      "Your code has a handler for an entry that the contract does not have. The server does not start with such a handler. `mcpgen sync` never deletes code. Remove the function, or add the entry to the contract; if the entry was renamed, move the code to the new name. In a class, a method that is typed as a handler (for example with `Handlers.Answer`) is an error. Any other public method is a warning: make it `private`, or ignore the warning.",
  },
  MG6503: {
    title: "Whether a handler is missing cannot be determined",
    exit: 0,
    explanation:
      'The code decides only at run time which handlers there are: by a spread, a computed key, a base class, a function call, or members that are added later. Or a type such as `Partial<Handlers>` makes handlers optional, or mcpgen cannot read the module that the handlers come from. mcpgen inserts nothing there; the type-checker reports missing handlers. To let `mcpgen sync` insert handlers, write the members out in an object literal, or give each literal a type such as `Handlers["tools"]`.',
  },
  MG6504: {
    title: "A file of handlers cannot be parsed",
    exit: 1,
    explanation:
      "The file has a syntax error, or is not text in UTF-8. mcpgen does not edit such a file. Correct the place in the message, and run `mcpgen sync` again.",
  },
  MG6505: {
    title: "A handler cannot be inserted",
    exit: 1,
    explanation:
      "mcpgen inserted the missing handlers in memory and parsed the result. The result had a syntax error or still lacked a handler, so mcpgen did not change the file. Paste the text below the message yourself.",
  },
  MG6506: {
    title: "A contract has no handlers",
    exit: 1,
    explanation:
      'mcpgen identifies handlers by their type. The type is `Handlers`, or a part such as `Handlers["tools"]`, from the generated `server` module. The code declares a value with this type, uses `satisfies Handlers`, has a class that implements it, or passes an object to the function that creates the server. Without `--handlers FILE`, mcpgen reads the TypeScript and JavaScript files below the folder of the configuration, except those in `node_modules`, `dist`, `coverage`, hidden folders and generated folders. Paste the text below the message into a new file, or name your file with `--handlers`.',
  },
  MG6507: {
    title: "The configuration names no contract of a server",
    exit: 2,
    explanation:
      '`mcpgen sync` reads the contracts in mcpgen.config.json that have the role `server` or `both`. Add one: `"contracts": [{ "file": "mcp.contract.yaml", "out": "src/generated", "role": "server" }]`.',
  },
  MG6508: {
    title: "A server has no extension that runs tasks",
    exit: 1,
    explanation:
      "A tool of the contract has `task`, and the code makes the server with options that name no extension. Such a server does not start. Add the lines below the message to the file, with `extensions` among the options, and do the same in tests that make the server; `mcpgen sync` changes no options. `@mcpgen/tasks` must be in the `dependencies` of package.json. mcpgen reads only options that are an object literal in the call.",
  },
} satisfies Record<string, Diagnostic>;
