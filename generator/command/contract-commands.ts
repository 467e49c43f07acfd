import {
  type CommandDefinition,
  flag,
  requestOptionDefinitions,
  serverOptionDefinitions,
  serverSource,
  serverSourceText,
  sessionOptionDefinitions,
  text,
  texts,
} from "./command-definition.js";

const pairs = { type: "string", array: true } as const;

/** Commands for a look at what a server offers, and for one request. */
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
      detach: flag("Print the id of the task that the call becomes, and do not wait for its result"),
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
    load: async () => (await import("./read.js")).read,
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
    load: async () => (await import("./prompt.js")).prompt,
  },
];

/** Commands about contracts and the servers that keep them. */
export const contractCommands: readonly CommandDefinition[] = [
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
      all: flag("With --replace: also lose entries that an incomplete list does not name"),
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
      contract: text("Contract FILE to start from (default: one in DIR, or a sample)"),
      server: text(`Live server to start from instead, ${serverSourceText}`),
      name: text("Name of the server, where there is no contract (default: that of DIR)"),
      revision: texts("Revision that it speaks; may be repeated (default: all)"),
      extension: texts("Extension that it implements: ID or FOLDER; may be repeated"),
      yes: { ...flag("Ask nothing: take what would be proposed"), alias: "y" },
      ...serverOptionDefinitions,
      "dry-run": flag("Show which files would be created; write nothing"),
    },
    examples: [
      ["$0 init server weather", "a server that runs, in the folder weather"],
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
      server: text(`The server itself instead, ${serverSourceText}`),
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
      check: flag("Report what is missing, and exit with 1; write nothing"),
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
      http: text("URL of a server that is started elsewhere: it is not restarted"),
      stdio: flag("Serve the client at standard input and output: it keeps its session over restarts"),
      page: flag(
        "Serve a page on this machine that calls the server and shows every message; prints its address",
      ),
      open: flag("The same, and open it in the browser"),
      record: text("FILE for the messages with the last server, which `validate` and the test kit read"),
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
    name: "lint",
    summary: "Report what hosts reject in the tools of a contract, and what the tools cost",
    positionals: {
      source: { type: "string", description: "Contract FILE, URL, stdio:…, the name of a server, or -" },
    },
    options: {
      code: text("Code of a server, a folder or a tsconfig file: judge its tools that run as tasks, too"),
      profile: {
        ...texts("Whom to judge for; may be repeated (default: claude, openai, gemini)"),
        choices: ["claude", "openai", "gemini", "gemini-parameters", "strict"],
      },
      fix: flag("Fix in the contract file what changes no value that a schema accepts; report the rest"),
      "dry-run": flag("With --fix: show what would change; write nothing"),
      budget: text("Most tokens that one tool may take of a model's context, as estimated"),
      revision: text("Of a live server: revision to speak (default: the newest that both know)"),
      ...serverOptionDefinitions,
    },
    examples: [
      ["$0 lint mcp.contract.yaml", "before a release"],
      ["$0 lint mcp.contract.yaml --profile strict --budget 500", "stricter, and short"],
      ["$0 lint mcp.contract.yaml --fix", "fixes what is certain, in place"],
      ["$0 lint --code src", "what happens twice when a handler is run again"],
    ],
    load: async () => (await import("./lint.js")).lint,
  },
];
