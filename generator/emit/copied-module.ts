import { dirname, join } from "node:path";
import { packageFolder } from "../files/package-folder.js";
import type { Surroundings } from "./emitter.js";
import { readRegularText } from "../files/regular-file.js";

/** Modules that are type-checked and tested where they stand, and copied into output. */
const folder = join(packageFolder, "engine/emitted");

/**
 * A module of `engine/emitted` as a file of output. What it takes from the rest of the engine stands before it in the
 * same file, so that output imports nothing from outside.
 *
 * @param name its path there without an extension: `issues/search`
 */
export function copyModule(name: string, { origin, importExtension, render }: Surroundings): string {
  const { imports, code: own } = readModule(join(folder, `${name}.ts`));
  const [, about = "", code = ""] = /^((?:\/\/.*\n)*)([^]*)$/.exec(own)!;
  const modules = codeOf(imports, new Set());
  const source = modules.length === 0 ? about + code : [about, ...modules, code.trimStart()].join("\n");
  const extended = source.replace(/( from "\.[^"]*\.)js"/g, `$1${importExtension}"`);
  return render("module.ts", { origin, source: extended });
}

/** The code of engine modules, each module once, behind those that it imports. */
function codeOf(files: readonly string[], seen: Set<string>): string[] {
  return files.flatMap((file) => {
    if (seen.has(file)) return [];
    seen.add(file);
    const { imports, code } = readModule(file);
    return [...codeOf(imports, seen), code];
  });
}

const statement = /^(?:import|export) (?:type )?(?:\{[^}]*\}|\*) from "(\.[^"]*)";\n/gm;

interface EngineModule {
  /** The files outside `engine/emitted` that the module imports. */
  readonly imports: readonly string[];
  /** Its text without those imports, with the line ends that output has. */
  readonly code: string;
}

function readModule(file: string): EngineModule {
  const imports: string[] = [];
  const text = readRegularText(file).replace(/\r\n?/g, "\n");
  const code = text.replace(statement, (whole, specifier: string) => {
    const path = join(dirname(file), specifier).replace(/\.js$/, ".ts");
    if (path.startsWith(folder)) return whole;
    imports.push(path);
    return "";
  });
  return { imports, code: code.trimStart() };
}
