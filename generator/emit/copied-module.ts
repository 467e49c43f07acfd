import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageFolder } from "../files/package-folder.js";
import type { Surroundings } from "./emitter.js";

/** Modules that are type-checked and tested where they stand, and copied into output. */
const folder = join(packageFolder, "engine/emitted");

/**
 * A module of `engine/emitted` as a file of output. What it takes from the rest of the engine stands before it in the
 * same file, so that output imports nothing from outside.
 *
 * @param name its path there without an extension: `issues/search`
 */
export function copyModule(name: string, { origin, importExtension, render }: Surroundings): string {
  const file = join(folder, `${name}.ts`);
  const [, about = "", code = ""] = /^((?:\/\/.*\n)*)([^]*)$/.exec(withoutEngineImports(file))!;
  const modules = engineModules(file);
  const source = modules.length === 0 ? about + code : [about, ...modules, code.trimStart()].join("\n");
  const extended = source.replace(/( from "\.[^"]*\.)js"/g, `$1${importExtension}"`);
  return render("module.ts", { origin, source: extended });
}

/** The code of what a file takes from outside the folder, each module once, behind those it imports itself. */
function engineModules(file: string, seen = new Set<string>()): string[] {
  return importsOf(file).flatMap((path) => {
    if (seen.has(path)) return [];
    seen.add(path);
    return [...engineModules(path, seen), withoutEngineImports(path)];
  });
}

const statement = /^(?:import|export) (?:type )?(?:\{[^}]*\}|\*) from "(\.[^"]*)";\n/gm;

function importsOf(file: string): string[] {
  const specifiers = [...read(file).matchAll(statement)].map(([, specifier]) => specifier!);
  return specifiers.map((specifier) => target(file, specifier)).filter((path) => !path.startsWith(folder));
}

function withoutEngineImports(file: string): string {
  return read(file)
    .replace(statement, (whole, specifier: string) =>
      target(file, specifier).startsWith(folder) ? whole : "",
    )
    .trimStart();
}

function target(file: string, specifier: string): string {
  return join(dirname(file), specifier).replace(/\.js$/, ".ts");
}

/** With the line ends that output has. */
function read(file: string): string {
  return readFileSync(file, "utf8").replace(/\r\n?/g, "\n");
}
