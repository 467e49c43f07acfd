import { parseArgs } from "node:util";
import type { ColorChoice, ConsoleSettings, Format } from "./console.js";

const formats = ["text", "json", "github"] as const satisfies readonly Format[];
const colorChoices = ["auto", "always", "never"] as const satisfies readonly ColorChoice[];

/**
 * How to print, read before anything else is: errors in the rest of the command line are printed that way
 * too. What is wrong with these options themselves the real parser reports.
 */
export function readSettings(args: readonly string[]): ConsoleSettings {
  const { values } = parseArgs({
    args: [...args],
    strict: false,
    options: {
      json: { type: "boolean" },
      format: { type: "string" },
      quiet: { type: "boolean", short: "q" },
      verbose: { type: "boolean", short: "v" },
      color: { type: "string" },
    },
  });
  return {
    format: values.json === true ? "json" : oneOf(formats, values.format, "text"),
    quiet: values.quiet === true,
    verbose: values.verbose === true,
    color: oneOf(colorChoices, values.color, "auto"),
  };
}

function oneOf<T extends string>(choices: readonly T[], value: unknown, otherwise: T): T {
  return choices.find((choice) => choice === value) ?? otherwise;
}
