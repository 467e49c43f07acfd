import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { importsOf, specifiersOf } from "../rooms/imports.js";

/** A long test, and the changed file that it depends on. */
export interface NearTest {
  readonly file: string;
  /** The number of imports between the test and the nearest changed file; 0 if the test itself changed. */
  readonly distance: number;
  readonly changed: string;
}

/** Folders of files that no module imports, each with the module that reads them. */
const readers: readonly (readonly [start: string, reader: string])[] = [
  ["templates/", "generator/print/templates.ts"],
  ["schema/", "test/support/revisions.ts"],
];

/** Paths of built files, each with the path of its source. */
const built: readonly (readonly [pattern: RegExp, source: string])[] = [
  [/^dist\/generator\/(.+)\.js$/, "generator/$1.ts"],
  [/^dist\/examples\/(.+)\.js$/, "examples/$1.ts"],
];

const isCode = (file: string): boolean => /\.(?:ts|mts|mjs)$/.test(file);

/**
 * Returns the long tests that depend on a changed file, the nearest first. At equal distance, the test whose
 * changed file changed last comes first. A program whose path a module contains counts as imported. A file
 * that is not code is near to the tests in the folder of the same name (`docs/` to `test/docs/`); a file in
 * `test/` is near to the tests around it.
 *
 * @param changed the changed files, the last changed first, including deleted ones
 * @param files all files of the repository
 */
export function nearestTests(changed: readonly string[], files: readonly string[]): NearTest[] {
  const importers = importersOf(files.filter(isCode), new Set(files));
  const found = new Map<string, NearTest>();
  const order = new Map(changed.map((file, index) => [file, index]));
  const isLong = (file: string): boolean => /\.long\.test\.(?:ts|mjs)$/.test(file) && existsSync(file);
  // The search is breadth-first from all changed files at once, so the first visit of a file gives its
  // shortest distance.
  let front = changed.map((file) => ({ file, changed: file }));
  const seen = new Set(changed);
  for (let distance = 0; front.length > 0; distance++) {
    for (const { file, changed: cause } of front)
      if (isLong(file)) found.set(file, { file, distance, changed: cause });
    front = front.flatMap(({ file, changed: cause }) =>
      [...(importers.get(file) ?? []), ...named(file, files)].flatMap((importer) => {
        if (seen.has(importer)) return [];
        seen.add(importer);
        return [{ file: importer, changed: cause }];
      }),
    );
  }
  return [...found.values()].toSorted(
    (one, other) => one.distance - other.distance || order.get(one.changed)! - order.get(other.changed)!,
  );
}

/** The modules that import a file or contain its path, by file. */
function importersOf(
  code: readonly string[],
  files: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  const add = (from: string, to: string): void => {
    if (!importers.has(to)) importers.set(to, []);
    importers.get(to)!.push(from);
  };
  const entries = packageEntries();
  for (const { from, to } of importsOf(code)) add(from, to);
  for (const from of code) {
    const text = readFileSync(from, "utf8");
    for (const { specifier } of specifiersOf(text)) {
      const source = entries.get(specifier);
      if (source !== undefined) add(from, source);
    }
    for (const path of pathsIn(text, dirname(from))) if (files.has(path)) add(from, path);
  }
  return importers;
}

/**
 * Returns the files that the paths in a module's string literals may mean, relative to the root and to the
 * module's folder.
 */
function pathsIn(text: string, folder: string): string[] {
  const paths = [...text.matchAll(/["'`]([\w./-]+\.(?:[mc]?[jt]s|json|md|hbs|py|sh))["'`]/g)].map(
    ([, path]) => path!,
  );
  return paths.flatMap((path) => [
    ...built.flatMap(([pattern, source]) => (pattern.test(path) ? [path.replace(pattern, source)] : [])),
    join(path),
    join(folder, path),
  ]);
}

/** The source of each entry of our packages, by specifier. */
function packageEntries(): ReadonlyMap<string, string> {
  const { workspaces } = JSON.parse(readFileSync("package.json", "utf8")) as { workspaces: string[] };
  const entries = workspaces.flatMap((folder) => {
    const { name, exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      readonly name: string;
      readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
    };
    return Object.entries(exports).flatMap(([entry, target]): [string, string][] => {
      const source = typeof target === "string" ? undefined : target["mcpgen-source"];
      return source === undefined ? [] : [[join(name, entry), join(folder, source)]];
    });
  });
  return new Map(entries);
}

/**
 * Returns the modules that depend on a file without importing it: the module that reads its folder, or the
 * tests for it.
 */
function named(file: string, files: readonly string[]): readonly string[] {
  if (isCode(file) && !file.startsWith("examples/")) return [];
  const reader = readers.find(([start]) => file.startsWith(start))?.[1];
  if (reader !== undefined) return [reader];
  const below = (folder: string): string[] =>
    files.filter((each) => each.startsWith(`${folder}/`) && isCode(each));
  if (!file.startsWith("test/")) return below(`test/${file.split("/")[0]!}`);
  let folder = dirname(file);
  while (below(folder).length === 0) folder = dirname(folder);
  return below(folder);
}
