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
    name: "explain",
    summary: "Explain a code or a rule of diff or lint, or list them all",
    positionals: { code: { type: "string", description: "As printed, e.g. MG3102 or enum-value-added" } },
    load: async () => (await import("./explain.js")).explain,
  },
];

/** Words that stand for a group of commands. */
export const groups = new Map([
  ["revision", "Bring in, list and verify protocol revisions"],
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
  config: text("Configuration file (default: the nearest mcpgen.config.{json,js,ts} upwards)"),
};
