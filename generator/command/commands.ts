import type { Options } from "yargs";
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
} from "./command-definition.js";
import { contractCommands } from "./contract-commands.js";
import { protocolCommands } from "./protocol-commands.js";

const server = {
  type: "string",
  description: "http(s)://… or the name of a server",
} as const;

/** Commands about logins to servers over HTTP. */
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

/** Commands about tasks: calls of tools that go on after their answer. */
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

/** Commands about extensions of the protocol. */
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
      list: flag("List the folders that are trusted"),
      remove: flag("Trust the folder no longer"),
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

/** Words that stand for a group of commands. */
export const groups = new Map([
  ["revision", "Bring in, list, verify and choose protocol revisions"],
  ["extension", "Bring in, list and verify extensions of the protocol"],
  ["task", "Follow calls of tools that take long"],
  ["init", "Start a project"],
  ["auth", "Show logins"],
]);

/** Options of every command. */
export const globalOptions: Readonly<Record<string, Options>> = {
  json: flag("Print one JSON document on standard output (short for --format json)"),
  format: text("How to print", { choices: ["text", "json", "github"] }),
  quiet: { ...flag("Print findings and errors only"), alias: "q" },
  verbose: { ...flag("Print details"), alias: "v" },
  color: text("When to use colours", { choices: ["auto", "always", "never"] }),
  config: text("Configuration file (default: the nearest mcpgen.config.{json,js,ts} in the project)"),
  "no-config": flag(
    "Use no configuration of the project: neither mcpgen.config.* nor .mcp.json and the like",
  ),
  trust: text("Hash of configuration that may run code, as `mcpgen trust --print` prints it (MCPGEN_TRUST)"),
};
