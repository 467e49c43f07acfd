import type { Options } from "yargs";
import { type CommandDefinition, flag, text } from "./command-definition.js";
import { serverOptionDefinitions, serverSourceText } from "./server-options.js";

const revision = text("Revision to speak (default: the newest that both know)");
const source = { type: "string", description: serverSourceText, demandOption: true } as const;
const pairs = (of: string) =>
  ({ type: "string", array: true, description: `Arguments of the ${of}: key=value` }) as const;
export const outputOptions = {
  output: text("FILE or FOLDER/ that images, sounds and blobs are saved to"),
  replace: flag("Replace files that are there"),
};

/** Options of commands that send one request, during which a server may ask its user. */
export const questionOptionDefinitions: Readonly<Record<string, Options>> = {
  answer: {
    type: "string",
    requiresArg: true,
    array: true,
    description: "FIELD=VALUE or FIELD:=JSON for a form of the server; may be repeated",
  },
  decline: { type: "boolean", description: "Decline questions without an --answer" },
};

/** Commands for a look at what a server offers, and for one request. */
export const everydayCommands: readonly CommandDefinition[] = [
  {
    name: "list",
    summary: "Show what a server offers, as signatures; or which servers have a name",
    positionals: {
      source: {
        type: "string",
        description: `Server (${serverSourceText}), contract FILE or -; without it: servers by name`,
      },
    },
    options: { revision, ...serverOptionDefinitions },
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
      source,
      tool: { type: "string", description: "Name of the tool", demandOption: true },
      arguments: pairs("tool, or key:=JSON"),
    },
    options: {
      detach: flag("Print the id of the task that the call becomes, and do not wait for its result"),
      args: text("The tool's arguments: JSON, @FILE, or @- for standard input"),
      ...outputOptions,
      ...questionOptionDefinitions,
      revision,
      ...serverOptionDefinitions,
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
      source,
      uri: { type: "string", description: "URI of the resource", demandOption: true },
    },
    options: { ...outputOptions, ...questionOptionDefinitions, revision, ...serverOptionDefinitions },
    examples: [["$0 read weather weather://map.png --output map.png", "into a file"]],
    load: async () => (await import("./read.js")).read,
  },
  {
    name: "prompt",
    summary: "Get one prompt of a live server",
    positionals: {
      source,
      name: { type: "string", description: "Name of the prompt", demandOption: true },
      arguments: pairs("prompt"),
    },
    options: { ...outputOptions, ...questionOptionDefinitions, revision, ...serverOptionDefinitions },
    examples: [["$0 prompt weather plan_trip city=Bergen", "its messages"]],
    load: async () => (await import("./prompt.js")).prompt,
  },
];
