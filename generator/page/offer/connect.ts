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

/** The part that shows how to add a server to hosts, which then know it as `name`. */
export function connectPart(name: string, start: ServerStart): Extract<Part, { readonly kind: "code" }> {
  const placeholders = new Placeholders();
  const target = targetOf(start, placeholders);
  const notes = [
    ...(start.kind === "unknown"
      ? [`The contract does not say where its server runs: replace \`${exampleUrl}\`.`]
      : []),
    ...(start.kind === "stdio"
      ? ["A host starts the command in its folder, not in yours: write paths in full."]
      : []),
    ...(placeholders.count > 0
      ? ["Values that may be secret are left out: insert one for each `${NAME}`."]
      : []),
  ];
  return {
    ...{
      title: "Add it to your hosts",
      open: true,
      kind: "code",
      language: "sh",
      text: addLine(name, target),
    },
    ...(notes.length > 0 && { note: notes.join(" ") }),
  };
}

/** The command that adds a server to hosts. `add-mcp` knows their files and forms. */
export function addLine(name: string, target: readonly string[]): string {
  return shellLine(["npx", "add-mcp", ...target, "--name", name]);
}

function targetOf(start: ServerStart, placeholders: Placeholders): readonly string[] {
  if (start.kind === "unknown") return [exampleUrl];
  if (start.kind === "http") {
    const headers = placeholders.of(start.headers);
    const [url] = publicWords([addressWithoutLogin(start.url)], placeholders.take);
    return [url!, ...Object.entries(headers).flatMap(([name, value]) => ["--header", `${name}: ${value}`])];
  }
  const env = placeholders.of(start.variables);
  return [
    ...processTarget(publicWords(start.words, placeholders.take)),
    ...Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
  ];
}

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
export function processTarget(words: readonly string[]): readonly string[] {
  const program = words[0]!;
  if (/^(?:\/|~\/|\.{1,2}\/|[A-Za-z]:[\\/])/.test(program)) return [program, ...argsOf(words.slice(1))];
  const split = words.findIndex((word) => word === "" || /\s|\$\{/.test(word));
  const option = words.findIndex((word, index) => index > 1 && index < split && word.startsWith("-"));
  const first = split < 0 ? words.length : option < 0 ? split : option;
  if (first >= 2) return [words.slice(0, first).join(" "), ...argsOf(words.slice(first))];
  return [program === "node" ? "node --" : `env ${program}`, ...argsOf(words.slice(1))];
}

function argsOf(words: readonly string[]): string[] {
  return words.map((word) => `--args=${word}`);
}
