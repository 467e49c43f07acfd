import { dirname, join } from "node:path";
import { invariant } from "../diagnostics/coded-error.js";
import { packageFolder, readRegularText } from "../files/regular-file.js";
import { type Surroundings, wordsOf } from "./emitter.js";

const engine = join(packageFolder(), "engine");

/** Modules that are type-checked and tested where they stand, and copied into output one by one. */
const folder = join(engine, "emitted");

/**
 * A module of `engine/emitted` as a file of output. What it takes from the rest of the engine stands before it in the
 * same file, so that output imports nothing from outside.
 *
 * @param name its path there without an extension: `extending/merging`
 */
export function copyModule(name: string, surroundings: Surroundings): string {
  return copied(join(folder, `${name}.ts`), surroundings);
}

/**
 * A module of the engine as one file of output, with the declarations of other modules that it uses. The file exports what
 * the module exports.
 *
 * @param name its path in the engine without an extension: `explain/written`
 */
export function copyWhole(name: string, surroundings: Surroundings): string {
  return copied(join(engine, `${name}.ts`), surroundings);
}

/** One declaration of a module of `engine/emitted`, with its comment, for a file that has it as its own. */
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

/** The code of engine modules, each module once, behind those that it imports. */
function codeOf(files: readonly string[], seen: Set<string>): string[] {
  return files.flatMap((file) => {
    if (seen.has(file)) return [];
    seen.add(file);
    const { imports, code } = readModule(file);
    return [...codeOf(imports, seen), code];
  });
}

/** A declaration with its comment: modules are laid out by prettier, and a blank line stands between declarations. */
const declaration = /^(?:export )?(?:async )?(?:class|function\*?|const|interface|type) (\w+)/gm;

/**
 * The declarations of modules that some code uses, in their order. Those that the code exports again are exported, no
 * other.
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
  const pending = [...exported, ...namesIn(code)];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const owner = owners.get(name);
    if (!owner || used.has(owner)) continue;
    used.add(owner);
    pending.push(...namesIn(owner.text));
  }
  return declarations
    .filter((one) => used.has(one))
    .map(({ text, names }) => {
      const isExported = names.some((name) => exported.has(name));
      return `${isExported ? text : text.replace(/^export /gm, "")}\n`;
    });
}

/** The names that code may mean, members of objects apart. */
function namesIn(code: string): ReadonlySet<string> {
  return wordsOf(code.replace(/\/\/.*$/gm, "").replace(/(?<!\.\.)\.#?\w+/g, ""));
}

const statement = /^(?:import|export) (?:type )?(?:\{[^}]*\}|\*) from "(\.[^"]*)";\n/gm;

interface EngineModule {
  /** The files that the module imports, but modules of `engine/emitted` that one of these imports. */
  readonly imports: readonly string[];
  /** The names that it exports from those files; `*` for all of a file. */
  readonly exported: ReadonlySet<string>;
  /** Its text without those imports, with the line ends that output has. */
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
