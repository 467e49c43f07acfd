import type { JsonObject } from "@mcpgen/engine";
import { shellLine } from "../../print/terminal-text.js";
import type { Part } from "../reading.js";

/** How a host reaches a server. Values of headers and variables are left out: they are often secret. */
export type ServerStart =
  | { readonly kind: "http"; readonly url: string; readonly headers: readonly string[] }
  | {
      readonly kind: "stdio";
      /** The command; `…` stands for what may be secret. */
      readonly words: readonly string[];
      readonly variables: readonly string[];
    }
  /** The contract does not say where its server runs. */
  | { readonly kind: "unknown" };

/** Stands for an unknown address of a server. */
export const exampleUrl = "https://example.com/mcp";

/** The parts that show how to add a server to hosts, which then know it as `name`. */
export function connectParts(name: string, start: ServerStart): Part[] {
  const { entry, command, note } = waysOf(start);
  const line = command && shellLine(["npx", "add-mcp", ...command, "--name", name]);
  const json = JSON.stringify({ mcpServers: { [name]: entry } }, undefined, 2);
  const entryPart = { title: "Entry of a host's file", kind: "code", language: "json", text: json } as const;
  const said = note === undefined ? {} : { note };
  if (line === undefined) return [{ ...entryPart, ...said, open: true }];
  return [
    { title: "Add it to your hosts", open: true, kind: "code", language: "sh", text: line, ...said },
    entryPart,
  ];
}

interface Ways {
  /** The value in `mcpServers`, which most hosts read. */
  readonly entry: JsonObject;
  /** The words after `npx add-mcp`; undefined if it cannot express the command. */
  readonly command: readonly string[] | undefined;
  readonly note?: string;
}

function waysOf(start: ServerStart): Ways {
  if (start.kind === "stdio") return processWays(start);
  const { url, headers } = start.kind === "http" ? start : { url: exampleUrl, headers: [] };
  const values = placeholders(headers);
  return {
    entry: { type: "http", url, ...(headers.length > 0 && { headers: values }) },
    command: [url, ...Object.entries(values).flatMap(([name, value]) => ["--header", `${name}: ${value}`])],
    ...(start.kind === "unknown" && {
      note: `The contract does not say where its server runs: replace \`${exampleUrl}\`.`,
    }),
    ...(headers.length > 0 && { note: secretNote }),
  };
}

function processWays({ words, variables }: Extract<ServerStart, { readonly kind: "stdio" }>): Ways {
  const [program, ...args] = words;
  const env = placeholders(variables);
  const target = addTarget(words);
  return {
    entry: { command: program!, args, ...(variables.length > 0 && { env }) },
    command: target && [
      ...target,
      ...Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
    ],
    note: `A host starts the command in its folder, not in yours: write paths in full.${variables.length > 0 || words.some((word) => word.includes("…")) ? ` ${secretNote}` : ""}`,
  };
}

const secretNote = "This page holds no secrets: insert a value for each `…` and `${NAME}`.";

/** The values to insert, as `add-mcp` asks for them. */
function placeholders(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => [name, `\${${name.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}}`]),
  );
}

/**
 * The target of `add-mcp` for a command, and its `--args`. `add-mcp` splits the target at spaces, and takes one word for a
 * package, unless it looks like a path.
 */
function addTarget(words: readonly string[]): readonly string[] | undefined {
  const program = words[0]!;
  if (/^(?:\/|~\/|\.{1,2}\/|[A-Za-z]:[\\/])/.test(program)) return [program, ...argsOf(words.slice(1))];
  const split = words.findIndex((word) => word === "" || /\s/.test(word));
  const first = split < 0 ? words.length : split;
  if (first < 2 || program.startsWith("-")) return undefined;
  return [words.slice(0, first).join(" "), ...argsOf(words.slice(first))];
}

function argsOf(words: readonly string[]): string[] {
  return words.map((word) => `--args=${word}`);
}
