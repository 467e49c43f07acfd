import type { Options, PositionalOptions } from "yargs";
import type { RunCommand } from "./context.js";
import { serverOptionDefinitions } from "./server-options.js";

/** One command: its place in the table of commands, and where its code is. */
export interface CommandDefinition {
  /** Words that select it, e.g. `revision add`. */
  readonly name: string;
  readonly summary: string;
  /** Positional arguments in order; those with `demandOption` must be given. */
  readonly positionals?: Readonly<Record<string, PositionalOptions>>;
  readonly options?: Readonly<Record<string, Options>>;
  readonly examples?: readonly (readonly [string, string])[];
  /** Loads the code, which `--help` and the other commands never pay for. */
  readonly load: () => Promise<RunCommand>;
}

const text = (description: string, more: Options = {}): Options => ({
  type: "string",
  requiresArg: true,
  description,
  ...more,
});
const texts = (description: string): Options => ({ ...text(description), array: true });
const flag = (description: string): Options => ({ type: "boolean", description });

/** Every command, in the order of `--help`. */
export const commands: readonly CommandDefinition[] = [
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
      role: text("With --contract: whom the output is for (default: both)", {
        choices: ["client", "server", "both"],
      }),
      out: text("Output folder (default: generated)"),
      only: text("Kinds of output, separated by commas: types,validators,…"),
      templates: text("Folder with your own templates"),
      package: text("Write a package.json with this name, too"),
      "import-extension": text("Extension of relative imports", { choices: ["js", "ts"] }),
      check: flag("Compare only, as `mcpgen check` does; write nothing"),
      "dry-run": flag("Show what would be written; write nothing"),
      force: flag("Overwrite files that were edited by hand"),
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
      full: flag("Generate everything anew, even if nothing seems to have changed"),
      upstream: text("Compare the stored schemas with this published FILE, URL or - instead"),
      revision: text("With --upstream: the revision that the file is of; with --server: the one to speak"),
      server: text("Compare this live server, http(s)://… or stdio:COMMAND …, with its contract instead"),
      contract: text("With --server: its contract (default: the only one there is)"),
      "fail-on": text("With --server: what makes the exit code 1 (default: any)", {
        choices: ["breaking", "dangerous", "any", "never"],
      }),
      approvals: text(
        "With --server: approved findings (default: mcp-approvals.json beside the configuration)",
      ),
      ...serverOptionDefinitions,
      format: text("How to print; markdown with --upstream", {
        choices: ["text", "json", "markdown", "github"],
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
      source: { type: "string", description: "FILE, URL or - for standard input", demandOption: true },
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
    load: async () => (await import("./revision-add.js")).revisionAdd,
  },
  {
    name: "revision list",
    summary: "List the revisions of the schema folder",
    load: async () => (await import("./revision-list.js")).revisionList,
  },
  {
    name: "revision verify",
    summary: "Compare stored schemas with the lock, or a file with the one a revision came from",
    positionals: {
      revision: { type: "string", description: "Revision to compare SOURCE with" },
      source: { type: "string", description: "FILE, URL or - for standard input" },
    },
    load: async () => (await import("./revision-verify.js")).revisionVerify,
  },
  {
    name: "diff",
    summary: "Tell what changes for clients and servers from one revision to another",
    positionals: {
      old: {
        type: "string",
        description: "Revision, schema or contract FILE, URL, stdio:… or -",
        demandOption: true,
      },
      new: {
        type: "string",
        description: "Revision, schema or contract FILE, URL, stdio:… or -",
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
        choices: ["text", "json", "markdown", "github", "sarif", "junit"],
      }),
      approvals: text("Approved findings (default: mcp-approvals.json beside the configuration)"),
      baseline: text("An earlier report (--format json): only findings that are not in it fail"),
      for: text("Between revisions: only what a server of this contract (FILE, URL, stdio:…) can meet"),
      uses: text("Tell where this code, a folder or a tsconfig.json, meets what changed"),
      "only-used": flag("With --uses: leave out what it does not meet"),
      ...serverOptionDefinitions,
    },
    examples: [
      ["$0 diff 2025-11-25 2026-07-28", "what the newest revision changes"],
      ["$0 diff 2025-11-25 new.json --format markdown", "the body of a pull request"],
      ["$0 diff 2025-11-25 new.json --for server.yaml", "what of that touches this server"],
      ["$0 diff server.yaml https://example.com/mcp", "a contract and a live server"],
      ["$0 diff 2025-11-25 2026-07-28 --uses src", "the places in src that meet it"],
    ],
    load: async () => (await import("./diff.js")).diff,
  },
  {
    name: "upgrade",
    summary: "Bring a new revision in, generate, and tell what is left to decide",
    positionals: {
      source: { type: "string", description: "FILE, URL or - for standard input", demandOption: true },
    },
    options: {
      name: text("What the revision is called (default: the folder of FILE, if it is a date or draft)"),
      "dry-run": flag("Tell all of it; write nothing"),
      uses: text("Tell where this code, a folder or a tsconfig.json, meets what changed"),
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
    ],
    load: async () => (await import("./upgrade.js")).upgrade,
  },
  {
    name: "validate",
    summary: "Judge recorded messages, one to a line, by a revision",
    positionals: {
      source: { type: "string", description: "FILE.jsonl, URL, or - for standard input", demandOption: true },
    },
    options: { revision: text("Revision to judge by", { demandOption: true }) },
    load: async () => (await import("./validate.js")).validate,
  },
  {
    name: "capture",
    summary: "Write the contract of a live server: what it offers, all pages of it",
    positionals: {
      source: { type: "string", description: "http(s)://… or stdio:COMMAND …", demandOption: true },
    },
    options: {
      out: text(
        "YAML or JSON file, by its extension, or - (default: the configured one, or mcp.contract.yaml)",
      ),
      replace: flag("Replace a contract whose content differs"),
      revision: text("Revision to speak (default: the newest that both know)"),
      ...serverOptionDefinitions,
    },
    examples: [
      ['$0 capture "stdio:node server.js"', "mcp.contract.yaml, from a server that is started"],
      ["$0 capture https://example.com/mcp --out -", "only to look at it"],
    ],
    load: async () => (await import("./capture.js")).capture,
  },
  {
    name: "call",
    summary: "Call one tool of a live server",
    positionals: {
      source: { type: "string", description: "http(s)://… or stdio:COMMAND …", demandOption: true },
      tool: { type: "string", description: "Name of the tool", demandOption: true },
    },
    options: {
      args: text("The tool's arguments: JSON, @FILE, or @- for standard input"),
      revision: text("Revision to speak (default: the newest that both know)"),
      ...serverOptionDefinitions,
    },
    examples: [['$0 call https://example.com/mcp get_weather --args \'{"city":"Bergen"}\'', "one call"]],
    load: async () => (await import("./call.js")).call,
  },
  {
    name: "init server",
    summary: "Make a project of a server: contract, generated code, handlers, a test; overwrite nothing",
    positionals: { dir: { type: "string", description: "Folder of the project (default: .)" } },
    options: {
      contract: text("Contract FILE to start from (default: one in DIR, or a sample)"),
      server: text("Live server to start from instead, http(s)://… or stdio:COMMAND …"),
      name: text("Name of the server, where there is no contract (default: that of DIR)"),
      revision: texts("Revision that it speaks; may be repeated (default: all)"),
      yes: { ...flag("Ask nothing: take what would be proposed"), alias: "y" },
      ...serverOptionDefinitions,
      "dry-run": flag("Show which files would be created; write nothing"),
    },
    examples: [
      ["$0 init server weather", "a server that runs, in the folder weather"],
      ['$0 init server port --server "stdio:node old.js"', "one that offers what another one does"],
    ],
    load: async () => (await import("./init.js")).initServer,
  },
  {
    name: "init client",
    summary: "Make a project of a client of one server, by its contract; overwrite nothing",
    positionals: { dir: { type: "string", description: "Folder of the project (default: .)" } },
    options: {
      contract: text("Contract FILE of the server (default: one in DIR)"),
      server: text("The server itself instead, http(s)://… or stdio:COMMAND …"),
      revision: texts("Revision that it speaks; may be repeated (default: all)"),
      ...serverOptionDefinitions,
      "dry-run": flag("Show which files would be created; write nothing"),
    },
    examples: [
      ["$0 init client --contract mcp.contract.yaml my-client", "a client with a function a tool"],
      ["$0 init client my-client --server https://example.com/mcp", "one of a server that runs"],
    ],
    load: async () => (await import("./init.js")).initClient,
  },
  {
    name: "sync",
    summary: "Put functions that are missing into your handlers; change nothing else",
    options: {
      handlers: texts(
        "File of handlers; may be repeated (default: all TypeScript files below the configuration)",
      ),
      check: flag("Tell what is missing, and end with 1; write nothing"),
      "dry-run": flag("Show what would be inserted; write nothing"),
    },
    examples: [["$0 sync", "after the contract has changed"]],
    load: async () => (await import("./sync.js")).sync,
  },
  {
    name: "lint",
    summary: "Tell what hosts refuse in the tools of a contract, and what they cost",
    positionals: {
      source: { type: "string", description: "Contract FILE, URL, stdio:… or -", demandOption: true },
    },
    options: {
      profile: {
        ...texts("Whom to judge for; may be repeated (default: claude, openai, gemini)"),
        choices: ["claude", "openai", "gemini", "strict"],
      },
      budget: text("Most tokens that one tool may take of a model's context, as estimated"),
      revision: text("Of a live server: revision to speak (default: the newest that both know)"),
      ...serverOptionDefinitions,
    },
    examples: [
      ["$0 lint mcp.contract.yaml", "before a release"],
      ["$0 lint mcp.contract.yaml --profile strict --budget 500", "stricter, and short"],
    ],
    load: async () => (await import("./lint.js")).lint,
  },
  {
    name: "explain",
    summary: "Tell more about a code or a rule of diff or lint, or list them all",
    positionals: { code: { type: "string", description: "As printed, e.g. MG3102 or enum-value-added" } },
    load: async () => (await import("./explain.js")).explain,
  },
];

/** Words that stand for a group of commands. */
export const groups = new Map([
  ["revision", "Bring in, list and verify protocol revisions"],
  ["init", "Start a project"],
]);

/** Options of every command. */
export const globalOptions: Readonly<Record<string, Options>> = {
  json: flag("Print one JSON document on standard output (short for --format json)"),
  format: text("How to print", { choices: ["text", "json", "github"] }),
  quiet: flag("Print findings and errors only"),
  verbose: { ...flag("Print details"), alias: "v" },
  color: text("When to use colours", { choices: ["auto", "always", "never"] }),
  config: text("Configuration file (default: the nearest mcpgen.config.{json,js,ts} upwards)"),
};
