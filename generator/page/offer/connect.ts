import type { JsonObject } from "@mcpgen/engine";
import { shellLine } from "../../print/terminal-text.js";
import { publicWords } from "../../secrets/public-words.js";
import { addressWithoutLogin } from "../../secrets/secrets.js";
import type { Part } from "../reading.js";

/** How a host reaches a server; the page leaves out what may be secret. */
export type ServerStart =
  | { readonly kind: "http"; readonly url: string; readonly headers: readonly string[] }
  | { readonly kind: "stdio"; readonly words: readonly string[]; readonly variables: readonly string[] }
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
  if (start.kind === "unknown") {
    const note = `The contract does not say where its server runs: replace \`${exampleUrl}\`.`;
    return { entry: { type: "http", url: exampleUrl }, command: [exampleUrl], note };
  }
  const placeholders = new Placeholders();
  const values = placeholders.of(start.headers);
  const [url] = publicWords([addressWithoutLogin(start.url)], placeholders.take);
  return {
    entry: { type: "http", url: url!, ...(start.headers.length > 0 && { headers: values }) },
    command: [url!, ...Object.entries(values).flatMap(([name, value]) => ["--header", `${name}: ${value}`])],
    ...(placeholders.count > 0 && { note: valuesNote }),
  };
}

function processWays(start: Extract<ServerStart, { readonly kind: "stdio" }>): Ways {
  const placeholders = new Placeholders();
  const env = placeholders.of(start.variables);
  const words = publicWords(start.words, placeholders.take);
  const [program, ...args] = words;
  const target = addTarget(words);
  return {
    entry: { command: program!, args, ...(start.variables.length > 0 && { env }) },
    command: target && [
      ...target,
      ...Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
    ],
    note: `A host starts the command in its folder, not in yours: write paths in full.${placeholders.count > 0 ? ` ${valuesNote}` : ""}`,
  };
}

const valuesNote = "Values that may be secret are left out: insert one for each `${NAME}`.";

/** The values to insert, as `add-mcp` asks for them: each has another name. */
class Placeholders {
  readonly #taken = new Set<string>();

  get count(): number {
    return this.#taken.size;
  }

  readonly take = (name: string): string => {
    const plain = name.toUpperCase().replace(/[^A-Z\d]+/g, "_");
    const stem = /[A-Z]\w{0,40}(?<!_)/.exec(plain)?.[0] ?? "VALUE";
    let free = stem;
    for (let count = 2; this.#taken.has(free); count++) free = `${stem}_${count}`;
    this.#taken.add(free);
    return `\${${free}}`;
  };

  of(names: readonly string[]): Record<string, string> {
    return Object.fromEntries(names.map((name) => [name, this.take(name)]));
  }
}

/**
 * The target of `add-mcp` for a command, and its `--args`. `add-mcp` splits the target at spaces, and takes one word for a
 * package, unless it looks like a path. If words cannot be in the target, neither are the options before them.
 */
function addTarget(words: readonly string[]): readonly string[] | undefined {
  const program = words[0]!;
  if (/^(?:\/|~\/|\.{1,2}\/|[A-Za-z]:[\\/])/.test(program)) return [program, ...argsOf(words.slice(1))];
  const split = words.findIndex((word) => word === "" || /\s|\$\{/.test(word));
  const option = words.findIndex((word, index) => index > 1 && index < split && word.startsWith("-"));
  const first = split < 0 ? words.length : option < 0 ? split : option;
  if (first < 2 || program.startsWith("-")) return undefined;
  return [words.slice(0, first).join(" "), ...argsOf(words.slice(first))];
}

function argsOf(words: readonly string[]): string[] {
  return words.map((word) => `--args=${word}`);
}
