import { dirname, join } from "node:path";
import { invariant } from "../../diagnostics/coded-error.js";
import { packageFolder, readRegularText } from "../../files/regular-file.js";
import { type Surroundings, wordsOf } from "./emitter.js";

const engine = join(packageFolder(), "engine");

/** Modules that are type-checked and tested here, and copied into output individually. */
const folder = join(engine, "emitted");

/**
 * Makes a file of output from a module of `engine/emitted`. Declarations that the module imports from the
 * rest of the engine are put before it in the same file, so that output imports nothing from the engine.
 *
 * @param name its path in that folder without extension, e.g. `extending/merging`
 */
export function copyModule(name: string, surroundings: Surroundings): string {
  return copied(join(folder, `${name}.ts`), surroundings);
}

/**
 * Makes a file of output from a module of the engine, with the declarations that it uses from other modules.
 * The file has the exports of the module.
 *
 * @param name its path in the engine without extension, e.g. `explain/written`
 */
export function copyWhole(name: string, surroundings: Surroundings): string {
  return copied(join(engine, `${name}.ts`), surroundings);
}

/**
 * The text of one declaration of a module of `engine/emitted`, with its comment, for a file that includes it
 * directly.
 */
export function copyDeclaration(module: string, name: string): string {
  const { code } = readModule(join(folder, `${module}.ts`));
  const found = code.split(/\n\n(?=\S)/).find((text) => text.includes(`export function ${name}(`));
  invariant(found !== undefined, `${module} declares ${name}`);
  return found.trimEnd().replace(/^export /m, "");
}

function copied(file: string, { origin, importExtension, render }: Surroundings): string {
  const { imports, exported, code: own } = readModule(file);
  const [, about = "", code = ""] = /^((?:\/\/.*\n)*)([^]*)$/.exec(own)!;
  const modules = codeOf(imports, new Set([file]));
  const before = exported.has("*") ? modules : usedDeclarations(modules, exported, code);
  const source = before.length === 0 ? about + code : [about, ...before, code.trimStart()].join("\n");
  const extended = source.replace(/( from "\.[^"]*\.)js"/g, `$1${importExtension}"`);
  return render("module.ts", { origin, source: extended });
}

/** The code of engine modules, each module once, after the modules that it imports. */
function codeOf(files: readonly string[], seen: Set<string>): string[] {
  return files.flatMap((file) => {
    if (seen.has(file)) return [];
    seen.add(file);
    const { imports, code } = readModule(file);
    return [...codeOf(imports, seen), code];
  });
}

/** Matches a declaration. Modules are formatted by prettier, so a blank line separates declarations. */
const declaration = /^(?:export )?(?:async )?(?:class|function\*?|const|interface|type) (\w+)/gm;

/**
 * The declarations of modules that some code uses, in their order. Only those that the code re-exports are
 * exported.
 */
function usedDeclarations(modules: readonly string[], exported: ReadonlySet<string>, code: string): string[] {
  const declarations = modules
    .flatMap((module) => module.split(/\n\n(?=\S)/))
    .map((text) => ({
      text: text.trimEnd(),
      names: [...text.matchAll(declaration)].map(([, name]) => name!),
    }));
  const owners = new Map(declarations.flatMap((one) => one.names.map((name) => [name, one] as const)));
  const used = new Set<(typeof declarations)[number]>();
  const pending = [...exported, ...wordsOf(code)];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const owner = owners.get(name);
    if (!owner || used.has(owner)) continue;
    used.add(owner);
    pending.push(...wordsOf(owner.text));
  }
  return declarations
    .filter((one) => used.has(one))
    .map(({ text, names }) => {
      const isExported = names.some((name) => exported.has(name));
      return `${isExported ? text : text.replace(/^export /gm, "")}\n`;
    });
}

const statement = /^(?:import|export) (?:type )?(?:\{[^}]*\}|\*) from "(\.[^"]*)";\n/gm;

interface EngineModule {
  /** The files that the module imports, except modules of `engine/emitted` that one of these imports. */
  readonly imports: readonly string[];
  /** The names that it re-exports from those files; `*` for all of a file. */
  readonly exported: ReadonlySet<string>;
  /** Its text without those imports, with normalised line ends. */
  readonly code: string;
}

function readModule(file: string): EngineModule {
  const imports: string[] = [];
  const exported = new Set<string>();
  const text = readRegularText(file).replace(/\r\n?/g, "\n");
  const code = text.replace(statement, (whole, specifier: string) => {
    const path = join(dirname(file), specifier).replace(/\.js$/, ".ts");
    if (file.startsWith(folder) && path.startsWith(folder)) return whole;
    imports.push(path);
    const names = /^export (?:type )?(.*) from/s.exec(whole)?.[1] ?? "";
    for (const name of names.match(/\*|\w+/g) ?? []) if (name !== "type") exported.add(name);
    return "";
  });
  return { imports, exported, code: code.trimStart() };
}
