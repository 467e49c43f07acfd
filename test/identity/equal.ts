import { Project, ts } from "ts-morph";

/** A module, and those that it imports, by path. */
export interface Sources {
  readonly path: string;
  readonly files: { readonly [path: string]: string };
}

/** The same type without intersections, at every depth; functions do not occur. */
const flattened =
  "type Flat<T> = T extends string | number | boolean | null | undefined ? T : unknown extends T ? T : { [K in keyof T]: Flat<T[K]> };";

/**
 * Compares the exported types of two modules by the strict `Equal` conditional type, `A & B` being the same as an object
 * with the members of both.
 *
 * @returns as `unequalTypes`
 */
export function unequalFlatTypes(theirs: Sources, ours: Sources): { compared: number; unequal: string[] } {
  const files = [
    ...[theirs, ours].flatMap(({ files: all }, side) =>
      Object.entries(all).map(([path, text]): [string, string] => [`${sides[side]}/${path}`, text]),
    ),
  ];
  const modules = [theirs, ours].map(({ path }, side) => `${sides[side]}/${path}`);
  // Two runs, because the cache of flattened types changes TypeScript's answers about other types.
  const strict = unequalIn(files, modules, "", (name) => `Equal<Theirs.${name}, Ours.${name}>`);
  return unequalIn(files, modules, flattened, (name) =>
    strict.unequal.includes(name) ? `Equal<Flat<Theirs.${name}>, Flat<Ours.${name}>>` : "true",
  );
}

const sides = ["theirs", "ours"];

/**
 * Compares the exported types of two files by the strict `Equal` conditional type.
 *
 * @returns the number of types that `theirs` exports, and the names of those that are missing or different in `ours`
 */
export function unequalTypes(theirs: string, ours: string): { compared: number; unequal: string[] } {
  const files: [string, string][] = [
    ["theirs.ts", theirs],
    ["ours.ts", ours],
  ];
  return unequalIn(files, ["theirs.ts", "ours.ts"], "", (name) => `Equal<Theirs.${name}, Ours.${name}>`);
}

function unequalIn(
  files: readonly (readonly [path: string, text: string])[],
  [theirs, ours]: readonly string[],
  helper: string,
  comparison: (name: string) => string,
): { compared: number; unequal: string[] } {
  const project = new Project({
    useInMemoryFileSystem: true,
    compilerOptions: { strict: true, exactOptionalPropertyTypes: true, lib: ["lib.es2022.d.ts"], types: [] },
  });
  for (const [path, text] of files) project.createSourceFile(path, text);
  const source = project.getSourceFileOrThrow(theirs!);
  const names = [...source.getInterfaces(), ...source.getTypeAliases()]
    .filter((declaration) => declaration.isExported())
    .map((declaration) => declaration.getName());
  const head = [
    `import type * as Theirs from "./${theirs!.replace(/\.ts$/, "")}";`,
    `import type * as Ours from "./${ours!.replace(/\.ts$/, "")}";`,
    "type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;",
    helper,
  ];
  const lines = names.map((name) => `const _${name}: ${comparison(name)} = true;`);
  const test = project.createSourceFile("equal.ts", [...head, ...lines].join("\n"));
  const wrong = test.getPreEmitDiagnostics().map((diagnostic) => {
    const line = diagnostic.getLineNumber()!;
    if (diagnostic.getSourceFile() !== test || line <= head.length)
      throw new Error(ts.flattenDiagnosticMessageText(diagnostic.compilerObject.messageText, "\n"));
    return line;
  });
  return {
    compared: names.length,
    unequal: [...new Set(wrong)].map((line) => names[line - head.length - 1]!),
  };
}
