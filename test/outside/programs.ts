import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePorts } from "../support/free-ports.mjs";
import { Reader, expectedOutput } from "../support/walkthrough.js";
import { type AtEnd, type Installation, environmentIn, readerFolder } from "./installation.js";

/** A program that a document shows, as a reader saves and runs it. */
export interface Program {
  /** The document, below the folder of the packages. */
  readonly of: string;
  /** Numbers of its blocks of code, by the names that the reader gives to them. */
  readonly files: { readonly [name: string]: number };
  /** Programs of other documents that it needs. */
  readonly beside?: { readonly [name: string]: readonly [document: string, block: number] };
  readonly run: string;
  readonly prints: string;
}

const readme = "mcpgen/README.md";
const tasks = "mcpgen/docs/tasks";
const shop = { "shop.mjs": [readme, 0] } as const;
const adder = { "server.js": ["mcpgen/docs/runtime.md", 0] } as const;

export const programs: readonly Program[] = [
  {
    of: readme,
    files: { "shop.mjs": 0, "client.mjs": 1 },
    run: "node client.mjs",
    prints: "[ { type: 'text', text: 'On its way to Main Street 1.' } ]",
  },
  {
    of: "@mcpgen/runtime/README.md",
    files: { "server.js": 0 },
    run: 'npx mcpgen call "stdio:node server.js" greet',
    prints: "Hello",
  },
  {
    of: "@mcpgen/engine/README.md",
    files: { "judge.js": 0 },
    run: 'echo "console.log(isValid({ city: 1 }))" >>judge.js; node judge.js',
    prints: "false",
  },
  {
    of: "mcpgen/docs/runtime.md",
    files: { "server.mjs": 0 },
    run: 'npx mcpgen call "stdio:node server.mjs" add a=2 b=3',
    prints: '{"sum":5}',
  },
  {
    of: `${tasks}/serve-over-http.md`,
    files: { "server.js": 0 },
    run: `node server.js >log & server=$!
until grep -qs http log; do sleep 0.1; done
npx mcpgen list "$(cat log)"
kill $server`,
    prints: "adder 1.0.0\n…",
  },
  {
    of: `${tasks}/call-a-server.md`,
    files: { "client.js": 1 },
    beside: shop,
    run: "node client.js && echo closed",
    prints: "closed",
  },
  {
    of: `${tasks}/debug.md`,
    files: { "record.js": 1 },
    beside: adder,
    run: "node record.js && npx mcpgen validate session.jsonl --revision 2026-07-28",
    prints: "…, 0 invalid…",
  },
];

/** The blocks of TypeScript and JavaScript in a document. */
export const blocksOf = (text: string): string[] =>
  [...text.matchAll(/^```(?:ts|js)\n(.*?)^```$/gms)].map(([, code]) => code!);

/** Runs a program. @throws {Error} it prints something else */
export async function runProgram(
  { of, files, beside = {}, run, prints }: Program,
  folderName: string,
  installation: Installation,
  atEnd: AtEnd,
): Promise<void> {
  // Files that end in .mjs need no "type": their folder is as `npm init -y` of npm 11 leaves it.
  const type = Object.keys(files).every((name) => name.endsWith(".mjs")) ? "commonjs" : "module";
  const folder = readerFolder(installation, folderName, { type });
  const [port] = await freePorts(1);
  const own = Object.entries(files).map(([name, block]) => [name, [of, block]] as const);
  for (const [name, [document, block]] of [...own, ...Object.entries(beside)]) {
    const code = blocksOf(readFileSync(join(installation.modules, document), "utf8"))[block];
    if (code === undefined) throw new Error(`${document} has no block of code ${block}`);
    writeFileSync(join(folder, name), code.replaceAll("port: 3000", `port: ${port}`));
  }
  const env = environmentIn(`${folder}-home`);
  const { exit, output } = await new Reader(folder, env, atEnd).run(run);
  if (exit !== 0 || !expectedOutput(prints).test(output))
    throw new Error(`${run} ended with ${exit} and printed\n${output}`);
}
