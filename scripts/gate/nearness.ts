import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { importsOf, specifiersOf } from "../rooms/imports.js";

/** A long test, and how it came to be chosen. */
export interface NearTest {
  readonly file: string;
  /** Imports between it and the nearest file that changed; 0 if it changed itself. */
  readonly distance: number;
  readonly changed: string;
}

/** Folders of files that no module imports, and the module that reads them. */
const readers: readonly (readonly [start: string, reader: string])[] = [
  ["templates/", "generator/print/templates.ts"],
  ["schema/", "test/support/revisions.ts"],
];

/** What builds write, and the source. */
const built: readonly (readonly [pattern: RegExp, source: string])[] = [
  [/^dist\/generator\/(.+)\.js$/, "generator/$1.ts"],
  [/^dist\/examples\/(.+)\.js$/, "examples/$1.ts"],
];

const isCode = (file: string): boolean => /\.(?:ts|mts|mjs)$/.test(file);

/**
 * The long tests from which imports lead to a changed file, nearest first; of two at one distance, the one whose changed file
 * changed last. A program that a module names by its path counts as imported. A file that is no code is near to the tests of the
 * folder of its name, `docs/` to `test/docs/`, or to those around it.
 *
 * @param changed last changed first; files that are gone, too
 * @param files all files of the repository
 */
export function nearestTests(changed: readonly string[], files: readonly string[]): NearTest[] {
  const importers = importersOf(files.filter(isCode), new Set(files));
  const found = new Map<string, NearTest>();
  const order = new Map(changed.map((file, index) => [file, index]));
  const isLong = (file: string): boolean => /\.long\.test\.(?:ts|mjs)$/.test(file) && existsSync(file);
  // Breadth first from all changed files together: who is met first is nearest.
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

/** By file: who imports it, or names its path. */
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

/** Where the paths of files may lead that stand in the texts of a module: from the root, or from its folder. */
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

/** The sources of what our packages export, by specifier. */
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

/** Who depends on a file without an import: the module that reads its folder, or tests that read it. */
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
