import type { Options } from "yargs";
import type { HostName } from "../lint/host-rows.js";
import {
  type CommandDefinition,
  flag,
  loginOptionDefinitions,
  requestOptionDefinitions,
  serverSource,
  serverSourceText,
  sessionOptionDefinitions,
  text,
  texts,
  serverOptionDefinitions,
} from "./command.js";

/** The hosts of `generator/host/hosts.json`. */
const hosts = [
  "claude-code",
  "codex",
  "copilot-cli",
  "gemini-cli",
  "opencode",
  "qwen-code",
] satisfies readonly HostName[];

/** Commands for protocol revisions, and for the code generated from revisions and contracts. */
const protocolCommands: readonly CommandDefinition[] = [
  {
    name: "generate",
    summary: "Write types, validators, tables and stubs from the schema folder, and output of contracts",
    options: {
      revision: texts("Revision to generate; may be repeated (default: all in the schema folder)"),
      schema: text("Generate from this schema file instead; needs --name", { implies: "name" }),
      name: text("What the revision in --schema is called", { implies: "schema" }),
      notes: text("Notes file that goes with --schema", { implies: "schema", conflicts: "no-notes" }),
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
      check: flag("Compare only, as `mcpgen check` does; write nothing", { conflicts: ["dry-run", "force"] }),
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
      full: flag("Generate everything, even if nothing seems to have changed", {
        conflicts: ["upstream", "server"],
      }),
      upstream: text("Compare the stored schemas with this published FILE, URL or - instead"),
      revision: text("With --upstream: the revision that the file is of; with --server: the one to speak"),
      extension: text("With --upstream: the extension, ID or ID@VERSION, that the file is of", {
        implies: "upstream",
        conflicts: "revision",
      }),
      server: text("Compare this live server, http(s)://… or stdio:COMMAND …, with its contract instead", {
        conflicts: "upstream",
      }),
      offline: flag("Leave out the servers that the configuration names"),
      contract: text("With --server: its contract (default: the only one there is)"),
      "fail-on": text("Of servers: what makes the exit code 1 (default: any)", {
        choices: ["breaking", "dangerous", "any", "never"],
      }),
      approvals: text("Of servers: approved findings (default: mcp-approvals.json beside the configuration)"),
      watch: flag("Repeat after each change of what is read, until Ctrl-C", {
        conflicts: ["upstream", "server"],
      }),
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
      "only-used": flag("With --uses: leave out what it does not meet", { implies: "uses" }),
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
      "no-lint": flag("Leave out the findings of lint"),
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
      try: flag("Check types, and let peers of every pair of revisions talk; write nothing", {
        conflicts: ["force", "dry-run"],
      }),
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

const pairs = { type: "string", array: true } as const;

/** Commands that show what a server offers or send it one request. */
const everydayCommands: readonly CommandDefinition[] = [
  {
    name: "list",
    summary: "Show what a server offers, as signatures; or which servers have a name",
    positionals: {
      source: {
        type: "string",
        description: `Server (${serverSourceText}), contract FILE or -; without it: servers by name`,
      },
    },
    options: sessionOptionDefinitions,
    examples: [
      ["$0 list", "servers that .mcp.json and the like name"],
      ['$0 list "stdio:node server.js"', "its tools, resources and prompts"],
    ],
    load: async () => (await import("./list.js")).list,
  },
  {
    name: "call",
    summary: "Call one tool of a live server",
    positionals: {
      source: serverSource,
      tool: { type: "string", description: "Name of the tool", demandOption: true },
      arguments: { ...pairs, description: "Arguments of the tool, or key:=JSON: key=value" },
    },
    options: {
      detach: flag("Print the id of the task that the call becomes, and do not wait for its result", {
        conflicts: ["output", "replace"],
      }),
      args: text("The tool's arguments: JSON, @FILE, or @- for standard input"),
      ...requestOptionDefinitions,
    },
    examples: [
      ["$0 call https://example.com/mcp get_weather city=Bergen days:=3", "one call"],
      ["$0 call reports yearly year:=2026 --detach", "a tool that takes long: `mcpgen task` follows it"],
      ['$0 call weather get_weather --args \'{"city":"Bergen"}\'', "of a server with a name"],
    ],
    load: async () => (await import("./call.js")).call,
  },
  {
    name: "read",
    summary: "Read one resource of a live server",
    positionals: {
      source: serverSource,
      uri: { type: "string", description: "URI of the resource", demandOption: true },
    },
    options: requestOptionDefinitions,
    examples: [["$0 read weather weather://map.png --output map.png", "into a file"]],
    load: async () => (await import("./call.js")).read,
  },
  {
    name: "prompt",
    summary: "Get one prompt of a live server",
    positionals: {
      source: serverSource,
      name: { type: "string", description: "Name of the prompt", demandOption: true },
      arguments: { ...pairs, description: "Arguments of the prompt: key=value" },
    },
    options: requestOptionDefinitions,
    examples: [["$0 prompt weather plan_trip city=Bergen", "its messages"]],
    load: async () => (await import("./call.js")).prompt,
  },
];

const bridged = `${serverSourceText}; or NAME=SOURCE`;
const bridgeConfig = text("FILE that names the servers, in the form of docs/bridge.schema.json");

/** Commands for contracts and their servers. */
const contractCommands: readonly CommandDefinition[] = [
  ...everydayCommands,
  {
    name: "capture",
    summary: "Write the contract of a live server: what it offers, all pages of it",
    positionals: { source: serverSource },
    options: {
      out: text(
        "YAML or JSON file, by its extension, or - (default: the configured one, or mcp.contract.yaml)",
      ),
      replace: flag("Replace a contract whose content differs"),
      all: flag("With --replace: also lose entries that an incomplete list does not name", {
        implies: "replace",
      }),
      ask: texts("LIST.PARAM=VALUE, a parameter of the request for a list, such as tools.query=weather"),
      ...sessionOptionDefinitions,
    },
    examples: [
      ['$0 capture "stdio:node server.js"', "mcp.contract.yaml, from a server that is started"],
      ["$0 capture https://example.com/mcp --out -", "only to look at it"],
    ],
    load: async () => (await import("./capture.js")).capture,
  },
  {
    name: "init server",
    summary: "Make a project of a server: contract, generated code, handlers, a test; overwrite nothing",
    positionals: { dir: { type: "string", description: "Folder of the project (default: .)" } },
    options: {
      code: flag("Write the server in code, with schemas of zod, and no contract", {
        conflicts: ["contract", "server", "extension", "revision"],
      }),
      contract: text("Contract FILE to start from (default: one in DIR, or a sample)"),
      server: text(`Live server to start from instead, ${serverSourceText}`, { conflicts: "contract" }),
      name: text("Name of the server, where there is no contract (default: that of DIR)"),
      revision: texts("Revision that it speaks; may be repeated (default: all)"),
      extension: texts("Extension that it implements: ID or FOLDER; may be repeated"),
      yes: { ...flag("Ask nothing: take what would be proposed"), alias: "y" },
      ...serverOptionDefinitions,
      "dry-run": flag("Show which files would be created; write nothing"),
    },
    examples: [
      ["$0 init server weather", "a server that runs, in the folder weather"],
      ["$0 init server weather --code", "one in code, with schemas of zod"],
      ["$0 init server --extension com.example/search", "one that implements an extension"],
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
      server: text(`The server itself instead, ${serverSourceText}`, { conflicts: "contract" }),
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
    name: "package",
    summary:
      "Write a Dockerfile, a server.json or a manifest.json, by which others take the project's server",
    positionals: {
      target: {
        type: "string",
        description: "docker, registry (server.json of the MCP registry) or mcpb (manifest of a bundle)",
        choices: ["docker", "registry", "mcpb"],
        demandOption: true,
      },
    },
    options: {
      contract: text("Contract FILE of the server (default: the only one of the configuration)"),
      "registry-name": text(
        "docker, registry: NAMESPACE/NAME (default: mcpName, or the GitHub owner in repository)",
      ),
      author: text("mcpb: the author (default: that of package.json)"),
      remote: text("registry: https address at which the server runs, too"),
      replace: flag("Replace files whose content differs"),
      "dry-run": flag("Show which files would be written; write nothing"),
    },
    examples: [
      ["$0 package docker", "Dockerfile and .dockerignore"],
      ["$0 package registry --registry-name io.github.ada/weather", "server.json"],
    ],
    load: async () => (await import("./package.js")).packageServer,
  },
  {
    name: "sync",
    summary: "Put functions that are missing into your handlers; change nothing else",
    options: {
      handlers: texts(
        "File of handlers; may be repeated (default: all TypeScript files below the configuration)",
      ),
      check: flag("Report what is missing, and exit with 1; write nothing", { conflicts: "dry-run" }),
      "dry-run": flag("Show what would be inserted; write nothing"),
    },
    examples: [["$0 sync", "after the contract has changed"]],
    load: async () => (await import("./sync.js")).sync,
  },
  {
    name: "dev",
    summary: "Keep output, handlers and a running server in step with what you edit",
    options: {
      server: text("COMMAND that starts the server (default: that of the contract, or src/main.ts compiled)"),
      http: text("URL of a server that is started elsewhere: it is not restarted", { conflicts: "server" }),
      stdio: flag("Serve the client at standard input and output: it keeps its session over restarts", {
        conflicts: ["http", "open", "page"],
      }),
      page: flag(
        "Serve a page on this machine that calls the server and shows every message; prints its address",
      ),
      open: flag("The same, and open it in the browser"),
      record: text("FILE for the messages with the last server, which `validate` and the test kit read", {
        implies: "stdio",
      }),
      revision: text("Revision to use (default: the newest that both have)"),
      timeout: serverOptionDefinitions.timeout,
      env: serverOptionDefinitions.env,
      header: serverOptionDefinitions.header,
    },
    examples: [
      ["$0 dev", "in a project of init server"],
      ["$0 dev --open", "with a page to try the tools"],
      ['$0 dev --server "node build/server.js" --stdio', "as the command of a server in a host's file"],
    ],
    load: async () => (await import("./dev.js")).dev,
  },
  {
    name: "bridge",
    summary: "Serve a server to any client, whatever revision and transport each speaks",
    positionals: { source: { type: "string", array: true, description: bridged } },
    options: {
      http: text("PORT or HOST:PORT to listen on (default: standard input and output)"),
      sse: flag("Over HTTP, also serve HTTP+SSE at the same URL, for clients of 2024-11-05", {
        implies: "http",
      }),
      login: flag("Log in to the server in the browser; all bridges of this user share the login", {
        conflicts: "http",
      }),
      contract: text("Contract FILE to compare the server with"),
      frozen: flag("List and call only what the contract has"),
      config: bridgeConfig,
      ...sessionOptionDefinitions,
    },
    examples: [
      ["$0 bridge https://example.com/mcp --login", "as the command of a server in a host's file"],
      ['$0 bridge "stdio:npx -y some-server" --http 8080', "a server that is started, published over HTTP"],
      ["$0 bridge --config bridge.json --contract bridge.contract.yaml --frozen", "only what was approved"],
    ],
    load: async () => (await import("./bridge.js")).bridge,
  },
  {
    name: "bridge approve",
    summary: "Show what changed at a server since its contract was approved, ask, and write the contract",
    positionals: {
      file: { type: "string", description: "Contract, YAML or JSON by its extension", demandOption: true },
      source: { type: "string", array: true, description: bridged },
    },
    options: {
      yes: { ...flag("Ask nothing: approve what changed"), alias: "y" },
      config: bridgeConfig,
      ...sessionOptionDefinitions,
    },
    examples: [["$0 bridge approve bridge.contract.yaml https://example.com/mcp", "shows, asks, writes"]],
    load: async () => (await import("./bridge/approval.js")).approve,
  },
  {
    name: "lint",
    summary: "Report what hosts reject in the tools of a contract, and what the tools cost",
    positionals: {
      source: { type: "string", description: "Contract FILE, URL, stdio:…, the name of a server, or -" },
    },
    options: {
      code: text("Code of a server, a folder or a tsconfig file: judge its handlers, too"),
      profile: {
        ...texts("Whom to judge for; may be repeated (default: claude, openai, gemini)"),
        choices: ["claude", "openai", "gemini", "gemini-parameters", "strict"],
      },
      host: {
        ...texts("Host to judge for, whatever its model is; may be repeated, and beside --profile"),
        choices: hosts,
      },
      fix: flag("Fix in the contract file what changes no value that a schema accepts; report the rest"),
      "dry-run": flag("With --fix: show what would change; write nothing", { implies: "fix" }),
      budget: text("Most tokens that one tool may take of a model's context, as estimated"),
      revision: text("Of a live server: revision to speak (default: the newest that both know)"),
      ...serverOptionDefinitions,
    },
    examples: [
      ["$0 lint mcp.contract.yaml", "before a release"],
      ["$0 lint mcp.contract.yaml --profile strict --budget 500", "stricter, and short"],
      ["$0 lint mcp.contract.yaml --fix", "fixes what is certain, in place"],
      ["$0 lint mcp.contract.yaml --host codex --host claude-code", "what these hosts drop or change"],
      ["$0 lint --code src", "what happens twice when a handler is run again"],
    ],
    load: async () => (await import("./lint.js")).lint,
  },
  {
    name: "host test",
    summary: "Run hosts such as Codex with a scripted model, and show what it gets of a server",
    positionals: {
      source: { ...serverSource, array: true, description: `${serverSourceText}; several are run in turn` },
    },
    options: {
      host: {
        ...texts("Host to run; may be repeated (default: those that are installed)"),
        choices: hosts,
      },
      script: text(
        "JSON file with the calls to make (default: one of each tool that only reads; asks for others)",
      ),
      faults: flag(
        "Run each host again with a restart, a lost session, a slow tool, a cut and a changed list",
      ),
      slow: text("Seconds without a byte of the slow tool (default: 30)", { implies: "faults" }),
      "no-times": flag("Leave out times and output of hosts: each run gives the same report"),
      format: text("How to print", { choices: ["text", "json", "github", "markdown", "html"] }),
      revision: text("Revision to list the tools in (default: the newest that both know)"),
      ...serverOptionDefinitions,
    },
    examples: [['$0 host test "stdio:node server.mjs" --host codex', "what Codex makes of a server"]],
    load: async () => (await import("./host.js")).hostTest,
  },
];

const server = {
  type: "string",
  description: "http(s)://… or the name of a server",
} as const;

/** Commands that log in to HTTP servers. */
const loginCommands: readonly CommandDefinition[] = [
  {
    name: "login",
    summary: "Log in to a server, and keep the tokens for later commands",
    positionals: { source: { ...server, demandOption: true } },
    options: {
      scope: texts("Scope to ask for besides those of the server; may be repeated"),
      revision: text("Revision of a server whose authorization is older"),
      ...loginOptionDefinitions,
    },
    examples: [["$0 login https://example.com/mcp", "opens the browser"]],
    load: async () => (await import("./login.js")).login,
  },
  {
    name: "logout",
    summary: "Revoke and remove the tokens of a server",
    positionals: { source: { ...server, demandOption: true } },
    options: { "token-store": loginOptionDefinitions["token-store"] },
    examples: [["$0 logout https://example.com/mcp", "revokes them where the server can"]],
    load: async () => (await import("./login.js")).logout,
  },
  {
    name: "auth status",
    summary: "Show logins: issuer, scopes, expiry, and no token",
    positionals: { source: server },
    options: { "token-store": loginOptionDefinitions["token-store"] },
    examples: [["$0 auth status", "all logins"]],
    load: async () => (await import("./login.js")).authStatus,
  },
];

const id = {
  type: "string",
  description: "Id of the task (default: the only one that this machine has started there)",
} as const;

/** Commands for tasks: tool calls that continue in the background. */
const taskCommands: readonly CommandDefinition[] = [
  {
    name: "task list",
    summary: "Show the tasks of a server; or those that this machine has started on any",
    positionals: { source: { type: "string", description: `${serverSourceText}; without it: all servers` } },
    options: sessionOptionDefinitions,
    examples: [["$0 task list reports", "with their states"]],
    load: async () => (await import("./task.js")).taskList,
  },
  {
    name: "task get",
    summary: "Show the state of a task",
    positionals: { source: serverSource, id },
    options: sessionOptionDefinitions,
    load: async () => (await import("./task.js")).taskGet,
  },
  {
    name: "task result",
    summary: "Wait for a task, and print its result as call does",
    positionals: { source: serverSource, id },
    options: requestOptionDefinitions,
    examples: [["$0 task result reports", "of the task that `mcpgen call --detach` has started"]],
    load: async () => (await import("./task.js")).taskResult,
  },
  {
    name: "task cancel",
    summary: "Ask the server to cancel a task",
    positionals: { source: serverSource, id },
    options: sessionOptionDefinitions,
    load: async () => (await import("./task.js")).taskCancel,
  },
];

/** Commands for protocol extensions. */
const extensionCommands: readonly CommandDefinition[] = [
  {
    name: "extension add",
    summary: "Bring the schema of an extension into the schema folder, in canonical form",
    positionals: {
      source: { type: "string", description: "FILE, URL or - for standard input", demandOption: true },
    },
    options: {
      id: text("What the sides declare, e.g. com.example/search", { demandOption: true }),
      base: texts(
        "Revision that it extends; may be repeated (default: those of the version before, else the newest)",
      ),
      version: text(
        "Version of the extension (default: the folder of FILE, if it is a date or draft, else the newest, else 1.0.0)",
      ),
      notes: text("What the schema cannot say (default: the notes of the version before)"),
      sender: texts("METHOD=client, =server or =both: the side that sends it; may be repeated"),
      status: text("How final it is (default: released for a date or a number such as 1.2.0)", {
        choices: ["draft", "released", "handwritten"],
      }),
      "no-descriptions": flag("Leave out the prose"),
      replace: flag("Replace a version whose content differs"),
      "dry-run": flag("Report everything; write nothing"),
      "upstream-url": text("Address the file was taken from (default: SOURCE, if it is a URL)"),
      "upstream-commit": text("Commit the file was taken from (default: the one in the URL)"),
      "upstream-date": text("Day of that commit, YYYY-MM-DD"),
    },
    examples: [
      ["$0 extension add search.json --id com.example/search --base 2026-07-28 --version 1.0.0", "a new one"],
      ["$0 extension add 2026-09-01/schema.json --id com.example/search", "its next version"],
    ],
    load: async () => (await import("./extension.js")).extensionAdd,
  },
  {
    name: "extension list",
    summary: "List the extensions of the schema folder",
    load: async () => (await import("./extension.js")).extensionList,
  },
  {
    name: "extension verify",
    summary: "Compare stored extensions with the lock, or a file with the one an extension came from",
    positionals: {
      extension: { type: "string", description: "ID or ID@VERSION to compare SOURCE with" },
      source: { type: "string", description: "FILE, URL or - for standard input" },
    },
    load: async () => (await import("./extension.js")).extensionVerify,
  },
  {
    name: "extension remove",
    summary: "Take a version of an extension out of the schema folder and the lock",
    positionals: {
      extension: {
        type: "string",
        description: "ID@VERSION, or ID if it has one version",
        demandOption: true,
      },
    },
    options: { "dry-run": flag("Show what would be removed; remove nothing") },
    load: async () => (await import("./extension.js")).extensionRemove,
  },
];

/** Every command, in the order of `--help`. */
export const commands: readonly CommandDefinition[] = [
  ...protocolCommands,
  ...extensionCommands,
  ...contractCommands,
  ...taskCommands,
  ...loginCommands,
  {
    name: "trust",
    summary: "Trust the configuration of a folder: let it run code, start programs and expand variables",
    positionals: {
      dir: { type: "string", description: "Folder (default: the nearest in the project with configuration)" },
    },
    options: {
      print: flag("Print the hash, for --trust and MCPGEN_TRUST; what it covers goes to standard error"),
      list: flag("List the folders that are trusted", { conflicts: ["print", "remove"] }),
      remove: flag("Trust the folder no longer", { conflicts: "print" }),
    },
    examples: [
      ["$0 trust", "shows what the configuration would do, and asks"],
      ["$0 trust --print", "the hash for CI"],
    ],
    load: async () => (await import("./trust.js")).trust,
  },
  {
    name: "explain",
    summary: "Explain a code or a rule of diff or lint, or list them all",
    positionals: { code: { type: "string", description: "As printed, e.g. MG3102 or enum-value-added" } },
    load: async () => (await import("./explain.js")).explain,
  },
];

/** First words that name a group of commands. */
export const groups = new Map([
  ["revision", "Bring in, list, verify and choose protocol revisions"],
  ["extension", "Bring in, list and verify extensions of the protocol"],
  ["task", "Follow calls of tools that take long"],
  ["init", "Start a project"],
  ["auth", "Show logins"],
  ["host", "Run hosts, and show what their models get of a server"],
]);

/** Commands that the parser of the command line carries out. */
export const parserCommands: readonly Omit<CommandDefinition, "load">[] = [
  {
    name: "help",
    summary: "Show the options of a command",
    positionals: { command: { type: "string", array: true, description: "Words of the command" } },
  },
  {
    name: "completion",
    summary: "Print a completion script: for bash or zsh, or with a name for fish or powershell",
    positionals: {
      shell: {
        type: "string",
        description: "The shell (default: bash or zsh, by $SHELL)",
        choices: ["fish", "powershell"],
      },
    },
  },
];

/** Options that the parser of the command line carries out. */
export const parserOptions = {
  help: { ...flag("Show help"), alias: "h" },
  version: flag("Show version number"),
} satisfies Readonly<Record<string, Options>>;

/** Options of every command. */
export const globalOptions: Readonly<Record<string, Options>> = {
  json: flag("Print one JSON document on standard output (short for --format json)"),
  format: text("How to print", { choices: ["text", "json", "github"] }),
  quiet: { ...flag("Print results, findings and errors only"), alias: "q" },
  verbose: { ...flag("Print details"), alias: "v" },
  color: text("When to use colours", { choices: ["auto", "always", "never"] }),
  config: text("Configuration file (default: the nearest mcpgen.config.{json,js,ts} in the project)"),
  "no-config": flag(
    "Use no configuration of the project: neither mcpgen.config.* nor .mcp.json and the like",
    { conflicts: "config" },
  ),
  trust: text("Hash of configuration that may run code, as `mcpgen trust --print` prints it (MCPGEN_TRUST)"),
};
