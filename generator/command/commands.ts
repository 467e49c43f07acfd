import type { Options } from "yargs";
import { type CommandDefinition, flag, text } from "./command-definition.js";
import { contractCommands } from "./contract-commands.js";
import { extensionCommands } from "./extension-commands.js";
import { loginCommands } from "./login-commands.js";
import { protocolCommands } from "./protocol-commands.js";
import { taskCommands } from "./task-commands.js";

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
