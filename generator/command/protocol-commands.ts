import { type CommandDefinition, flag, serverOptionDefinitions, text, texts } from "./command-definition.js";

/** Commands about revisions of the protocol, and what is generated from them and from contracts. */
export const protocolCommands: readonly CommandDefinition[] = [
  {
    name: "generate",
    summary: "Write types, validators, tables and stubs from the schema folder, and output of contracts",
    options: {
      revision: texts("Revision to generate; may be repeated (default: all in the schema folder)"),
      schema: text("Generate from this schema file instead; needs --name"),
      name: text("What the revision in --schema is called"),
      notes: text("Notes file that goes with --schema"),
      "no-notes": flag("Take the schemas as published, without notes"),
      contract: text("Generate from this contract file instead; needs --out"),
      role: text("With --contract: the role of the output (default: both)", {
        choices: ["client", "server", "both"],
      }),
      formats: text("With --contract: whether format is checked (default: annotation)", {
        choices: ["annotation", "assertion"],
      }),
      base: text("With --contract: folder that references of schemas to files may lead into"),
      out: text("Output folder (default: generated)"),
      only: text("Kinds of output, separated by commas: types,validators,…"),
      templates: text("Folder with your own templates"),
      package: text("Write a package.json with this name, too"),
      "import-extension": text("Extension of relative imports", { choices: ["js", "ts"] }),
      check: flag("Compare only, as `mcpgen check` does; write nothing"),
      "dry-run": flag("Show what would be written; write nothing"),
      force: flag("Overwrite files that were edited by hand"),
      watch: flag("Repeat after each change of what is read, until Ctrl-C"),
    },
    examples: [
      ["$0 generate", "all revisions"],
      ["$0 generate --schema new.json --name next --out /tmp/next", "a schema never seen before"],
      ["$0 generate --contract mcp.contract.yaml --out src/generated", "a server or client of a contract"],
    ],
    load: async () => (await import("./generate.js")).generate,
  },
  {
    name: "check",
    summary: "Compare schemas with their lock, output with its input, handlers with contracts; write nothing",
    options: {
      full: flag("Generate everything, even if nothing seems to have changed"),
      upstream: text("Compare the stored schemas with this published FILE, URL or - instead"),
      revision: text("With --upstream: the revision that the file is of; with --server: the one to speak"),
      extension: text("With --upstream: the extension, ID or ID@VERSION, that the file is of"),
      server: text("Compare this live server, http(s)://… or stdio:COMMAND …, with its contract instead"),
      offline: flag("Leave out the servers that the configuration names"),
      contract: text("With --server: its contract (default: the only one there is)"),
      "fail-on": text("Of servers: what makes the exit code 1 (default: any)", {
        choices: ["breaking", "dangerous", "any", "never"],
      }),
      approvals: text("Of servers: approved findings (default: mcp-approvals.json beside the configuration)"),
      watch: flag("Repeat after each change of what is read, until Ctrl-C"),
      ...serverOptionDefinitions,
      format: text("How to print; markdown with --upstream, html with --server", {
        choices: ["text", "json", "markdown", "github", "html"],
      }),
    },
    examples: [
      ["$0 check", "in every pull request"],
      ["$0 check --upstream https://example.com/schema/draft/schema.json", "every night"],
      ["$0 check --server https://example.com/mcp", "whether a server still keeps its contract"],
    ],
    load: async () => (await import("./check.js")).check,
  },
  {
    name: "revision add",
    summary: "Bring a schema file into the schema folder, in canonical form",
    positionals: {
      source: {
        type: "string",
        description: "FILE, URL or - for standard input, or a released revision by its name",
        demandOption: true,
      },
    },
    options: {
      name: text("What the revision is called (default: the folder of FILE, if it is a date or draft)"),
      status: text("How final it is (default: released for a date, draft for any other name)", {
        choices: ["draft", "released"],
      }),
      "no-descriptions": flag("Leave out upstream's prose"),
      replace: flag("Replace a revision whose content differs"),
      "upstream-commit": text("Commit the file was taken from (default: the one in the URL)"),
      "upstream-date": text("Day of that commit, YYYY-MM-DD"),
    },
    load: async () => (await import("./revision.js")).revisionAdd,
  },
  {
    name: "revision list",
    summary: "List the revisions of the schema folder, and the one that handlers are written in",
    load: async () => (await import("./revision.js")).revisionList,
  },
  {
    name: "revision vocabulary",
    summary: "Move what handlers write and clients read to another revision: a major version",
    positionals: {
      revision: { type: "string", description: "Finished revision of the schema folder", demandOption: true },
    },
    options: {
      "dry-run": flag("Report everything; write nothing"),
      uses: text("Report where this code, a folder or a tsconfig.json, uses what changed"),
      format: text("How to print", { choices: ["text", "json", "markdown", "github"] }),
    },
    examples: [
      ["$0 revision vocabulary 2027-01-15 --dry-run", "what the move changes for handlers and clients"],
      ["$0 revision vocabulary 2027-01-15", "moves it; then `mcpgen generate`"],
    ],
    load: async () => (await import("./revision-vocabulary.js")).revisionVocabulary,
  },
  {
    name: "revision verify",
    summary: "Compare stored schemas with the lock, or a file with the one a revision came from",
    positionals: {
      revision: { type: "string", description: "Revision to compare SOURCE with" },
      source: { type: "string", description: "FILE, URL or - for standard input" },
    },
    load: async () => (await import("./revision.js")).revisionVerify,
  },
  {
    name: "diff",
    summary: "Report the changes for clients and servers from one revision to another",
    positionals: {
      old: {
        type: "string",
        description: "Revision, extension ID@VERSION, schema or contract FILE, URL, stdio:… or -",
        demandOption: true,
      },
      new: {
        type: "string",
        description: "Revision, extension ID@VERSION, schema or contract FILE, URL, stdio:… or -",
        demandOption: true,
      },
    },
    options: {
      role: text("Whose point of view counts", { choices: ["client", "server", "both"] }),
      readers: text("Whether readers tolerate values they do not know (default: open)", {
        choices: ["open", "closed"],
      }),
      "fail-on": text("What makes the exit code 1 (default: breaking)", {
        choices: ["breaking", "dangerous", "any", "never"],
      }),
      format: text("How to print", {
        choices: ["text", "json", "markdown", "github", "sarif", "junit", "html"],
      }),
      out: text("FILE of the report (default: standard output); without --format, its extension decides"),
      force: flag("With --out: overwrite a file that is not a report"),
      approvals: text("Approved findings (default: mcp-approvals.json beside the configuration)"),
      baseline: text("An earlier report (--format json): only findings that are not in it fail"),
      for: text("Between revisions: only what a server of this contract (FILE, URL, stdio:…) can meet"),
      uses: text("Report where this code, a folder or a tsconfig.json, uses what changed"),
      "only-used": flag("With --uses: leave out what it does not meet"),
      ...serverOptionDefinitions,
    },
    examples: [
      ["$0 diff 2025-11-25 2026-07-28", "what the newest revision changes"],
      ["$0 diff 2025-11-25 new.json --format markdown", "the body of a pull request"],
      ["$0 diff 2025-11-25 new.json --out changes.html", "a page to read"],
      ["$0 diff 2025-11-25 new.json --for server.yaml", "what of that touches this server"],
      ["$0 diff com.example/search@1.0.0 com.example/search@1.1.0", "two versions of an extension"],
      ["$0 diff server.yaml https://example.com/mcp", "a contract and a live server"],
      ["$0 diff 2025-11-25 2026-07-28 --uses src", "the places in src that meet it"],
    ],
    load: async () => (await import("./diff.js")).diff,
  },
  {
    name: "docs",
    summary: "Write the reference of a revision, an extension, a contract or a live server as one page",
    positionals: {
      source: {
        type: "string",
        description:
          "Revision, extension ID[@VERSION], schema or contract FILE, URL, stdio:…, the name of a server, or -",
        demandOption: true,
      },
    },
    options: {
      out: text("FILE, or folder, of the page (default: standard output)"),
      open: flag("Open the page; without --out, it is a temporary file"),
      force: flag("Overwrite a file that mcpgen did not write"),
      format: text("How to print (default: html)", { choices: ["html", "markdown", "json"] }),
      templates: text("Folder with your own templates"),
      revision: text("Of a live server: revision to speak (default: the newest that both know)"),
      ...serverOptionDefinitions,
    },
    examples: [
      ["$0 docs mcp.contract.yaml --out docs", "the tools of a server, with their cost and lint findings"],
      ['$0 docs stdio:"node server.js" --open', "what a live server offers"],
      ["$0 docs 2026-07-28 --open", "the reference of a revision"],
      ["$0 docs 2026-07-28 --out docs/protocol.html", "the same, to keep"],
    ],
    load: async () => (await import("./docs.js")).docs,
  },
  {
    name: "upgrade",
    summary: "Bring a new revision in, generate, and list what is left to decide",
    positionals: {
      source: { type: "string", description: "FILE, URL or - for standard input", demandOption: true },
    },
    options: {
      name: text("What the revision is called (default: the folder of FILE, if it is a date or draft)"),
      "dry-run": flag("Report everything; write nothing"),
      try: flag("Check types, and let peers of every pair of revisions talk; write nothing"),
      uses: text("Report where this code, a folder or a tsconfig.json, uses what changed"),
      force: flag("Overwrite generated files that were edited by hand"),
      replace: flag("Replace a revision whose content differs"),
      status: text("How final it is (default: released for a date, draft for any other name)", {
        choices: ["draft", "released"],
      }),
      "no-descriptions": flag("Leave out upstream's prose (default: as the newest revision)"),
      "upstream-commit": text("Commit the file was taken from (default: the one in the URL)"),
      "upstream-date": text("Day of that commit, YYYY-MM-DD"),
      format: text("How to print", { choices: ["text", "json", "markdown", "github"] }),
    },
    examples: [
      ["$0 upgrade new/schema.json --name 2027-01-15", "all of a new revision at once"],
      ["$0 upgrade new/schema.json --name 2027-01-15 --dry-run --format markdown", "only the guide"],
      ["$0 upgrade new/schema.json --name 2027-01-15 --try", "who would still understand whom"],
    ],
    load: async () => (await import("./upgrade.js")).upgrade,
  },
  {
    name: "validate",
    summary: "Judge recorded messages, one to a line, by a revision",
    positionals: {
      source: { type: "string", description: "FILE.jsonl, URL, or - for standard input", demandOption: true },
    },
    options: {
      revision: text("Revision to judge by", { demandOption: true }),
      extension: texts("Id of an extension that both sides declare; may be repeated"),
    },
    load: async () => (await import("./validate.js")).validate,
  },
];
