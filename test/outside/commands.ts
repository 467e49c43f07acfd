import { written } from "./installation.js";

/** A line, or lines that belong together, of a block of commands. */
export interface Command {
  readonly document: string;
  /** The command that the reader types. */
  readonly script: string;
  /** Why it does not run here. */
  readonly why?: string;
  /** Whether it takes the packages from a registry, and needs nothing installed. */
  readonly isFirst: boolean;
}

/** Commands that do not run, each with the reason. A line that none of them names runs. */
const leftOut: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/\/\/auth\.example\.com|_CLIENT_SECRET=|\bmcpgen log(?:in|out) /, "it needs an authorization server"],
  [/^npx mcpgen (?:dev\b|bridge (?!approve))|^npm run test:watch$/, "it runs until Ctrl-C"],
  [/^mcpgen trust$/, "it asks at a terminal"],
  [/ --open$/, "it opens a browser"],
  [/^npx mcpgen host test /, "it runs a host"],
  [/^npm ci\b|^npm run (?:pack|site|bench)\b|\btest\/scale\//, "it runs in this repository"],
];

/** A command that takes the packages from the registry. */
const fromRegistry = /^npm create mcpgen|^npm install (?:\S+ )*(?:@mcpgen\/\w+|mcpgen)(?: |$)/;

/** The values that readers put in the place of placeholders in documents. */
const words: { readonly [word: string]: string } = {
  FILE: "schema.json",
  SOURCE: '"stdio:node server.js"',
  TOOL: "add",
  NAME: "greeting",
};

/** Addresses of servers in documents. */
const addresses = /https:\/\/(?:api\.)?example\.com\/mcp|http:\/\/127\.0\.0\.1:3000\/mcp|\bURL\b/g;

/**
 * The commands of documents, each once, and the listed reasons that apply to no command.
 *
 * @param tarballs the folder of the packages
 * @param server the URL of a server, in the place of those in documents
 */
export function commandsOf(
  documents: readonly (readonly [document: string, text: string])[],
  tarballs: string,
  server: string,
): { readonly commands: readonly Command[]; readonly unused: readonly string[] } {
  const found = new Map<string, Command>();
  const used = new Set<string>();
  const add = (command: Omit<Command, "isFirst">): void => {
    if (command.why !== undefined) used.add(command.why);
    const isFirst = fromRegistry.test(command.script);
    if (!found.has(command.script)) found.set(command.script, { ...command, isFirst });
  };
  for (const [document, text] of documents)
    for (const [, language, block] of text.matchAll(/^ *```(sh|console)\n(.*?)^ *```$/gms)) {
      const lines = linesOf(block!, language === "console");
      const isTogether = lines.some((line) => /^(?:cd|export|mkdir) /.test(line));
      const run = lines.filter((line) => reasonAgainst(line) === undefined);
      for (const script of isTogether ? [run.join("\n")] : run)
        if (script !== "") add({ document, script: filled(script, tarballs).replace(addresses, server) });
      for (const line of lines) {
        const why = reasonAgainst(line);
        if (why !== undefined) add({ document, script: line, why });
      }
    }
  return {
    commands: [...found.values()],
    unused: leftOut.map(([, why]) => why).filter((why) => !used.has(why)),
  };
}

/** The lines that a reader types, without comments. */
function linesOf(block: string, hasPrompt: boolean): string[] {
  const lines = block.split("\n").map((line) => line.replace(/(?:^| +)#(?: .*)?$/, "").trim());
  const typed = hasPrompt
    ? lines.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2))
    : lines;
  return typed.filter((line) => line !== "");
}

function reasonAgainst(line: string): string | undefined {
  return leftOut.find(([pattern]) => pattern.test(line))?.[1];
}

function filled(script: string, tarballs: string): string {
  return written(
    script.replace(/(?<= )[A-Z]+(?= |$)/gm, (word) => words[word] ?? word),
    tarballs,
  );
}
