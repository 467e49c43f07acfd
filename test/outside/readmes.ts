import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Reader } from "../support/walkthrough.js";
import { type AtEnd, type Installation, environmentIn, readerFolder } from "./installation.js";
import { blocksOf } from "./programs.js";

/**
 * Declarations that the code of READMEs needs: values of the reader, and drivers, which test/engines tests with real
 * databases.
 */
const surroundings = `declare module "ioredis";
declare module "pg";
declare module "node:sqlite";
declare const text: string;
declare const message: unknown;
declare const documents: import("@mcpgen/engine/interpreter").JsonValue[];
declare const server: import("@mcpgen/runtime").Server;
declare const cluster: any;
declare const pool: any;
declare const pg: any;
`;

const compilerOptions = {
  target: "ES2022",
  module: "NodeNext",
  strict: true,
  skipLibCheck: true,
  types: ["node"],
};

export const readmeOf = ({ modules }: Installation, name: string): string =>
  readFileSync(join(modules, name, "README.md"), "utf8");

/** Compiles all code of the READMEs. @throws {Error} a block does not compile */
export async function compileCode(installation: Installation, atEnd: AtEnd): Promise<void> {
  const folder = readerFolder(installation, "code", { type: "module" });
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...compilerOptions, noEmit: true }, include: ["**/*.ts"] }),
  );
  writeFileSync(join(folder, "surroundings.d.ts"), surroundings);
  for (const name of Object.keys(installation.own))
    for (const [index, code] of blocksOf(readmeOf(installation, name)).entries()) {
      const file = join(folder, name, `block-${index}.ts`);
      mkdirSync(dirname(file), { recursive: true });
      // A block without imports is a module, too.
      writeFileSync(file, `${code}export {};\n`);
    }
  const env = environmentIn(`${folder}-home`);
  const { exit, output } = await new Reader(folder, env, atEnd).run("npx tsc");
  if (exit !== 0) throw new Error(output);
}

/** Compares the entries that READMEs list with those that the packages export. @throws {Error} one is not exported */
export function compareEntries(installation: Installation): void {
  const missing = Object.keys(installation.own).flatMap((name) => {
    const manifest = join(installation.modules, name, "package.json");
    const { exports } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly exports: object };
    return entriesIn(readmeOf(installation, name))
      .filter((entry) => !Object.hasOwn(exports, entry))
      .map((entry) => `README.md of ${name} lists ${entry}, which the package does not export`);
  });
  if (missing.length > 0) throw new Error(missing.join("\n"));
}

/** Follows the relative links of all documents in the packages. @throws {Error} one leads to a file that is not there */
export function followLinks({ modules, own }: Installation): void {
  const documents = Object.keys(own).flatMap((name) =>
    readdirSync(join(modules, name), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".md"))
      .map((path) => join(modules, name, path)),
  );
  const lost = documents.flatMap((document) =>
    [...readFileSync(document, "utf8").matchAll(/^```.*?^```|\]\((?![a-z]+:|#)([^)\s#]+)/gms)]
      .map(([, target]) => target)
      .filter((target) => target !== undefined && !existsSync(join(dirname(document), target)))
      .map((target) => `${document} leads to ${target}`),
  );
  if (lost.length > 0) throw new Error(lost.join("\n"));
}

/** The entries in the first column of the table of entries. */
function entriesIn(readme: string): string[] {
  const [, table = ""] = /^\| entry +\|.*\n\|[-| ]+\n((?:\|.*\n?)+)/m.exec(readme) ?? [];
  const cells = table.split("\n").map((row) => row.split("|")[1] ?? "");
  return cells
    .flatMap((cell) => [...cell.matchAll(/`([./][^`]*)`/g)].map(([, entry]) => entry!))
    .map((entry) => (entry === "." ? "." : `.${entry.replace("<revision>", "2026-07-28")}`));
}
