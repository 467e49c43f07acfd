import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { filesBelow, importsOf, specifiersOf } from "../rooms/imports.js";

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

/** What long tests start as a program, and its source. */
const programs: readonly (readonly [text: string, source: string])[] = [
  ["dist/generator/cli.js", "generator/cli.ts"],
];

/**
 * The long tests from which imports lead to a changed file, nearest first; of two at one distance, the one whose changed file
 * changed last. Tests of documents and examples are near to what they are named for: `test/docs/` to `docs/`.
 *
 * @param changed last changed first
 */
export function nearestTests(changed: readonly string[]): NearTest[] {
  const files = ["engine", "runtime", "generator", "examples", "scripts", "test"].flatMap(filesBelow);
  const importers = importersOf(files);
  const found = new Map<string, NearTest>();
  const order = new Map(changed.map((file, index) => [file, index]));
  const isLong = (file: string): boolean => file.endsWith(".long.test.ts");
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

/** By file: who imports it. */
function importersOf(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  const add = (from: string, to: string): void => {
    if (!importers.has(to)) importers.set(to, []);
    importers.get(to)!.push(from);
  };
  const entries = packageEntries();
  for (const { from, to } of importsOf(files)) add(from, to);
  for (const from of files) {
    const text = readFileSync(from, "utf8");
    for (const { specifier } of specifiersOf(text)) {
      const source = entries.get(specifier);
      if (source !== undefined) add(from, source);
    }
    for (const [mention, source] of programs) if (text.includes(mention)) add(from, source);
  }
  return importers;
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

/** Who depends on a file without an import: the module that reads its folder, or the tests in the folder of its name. */
function named(file: string, files: readonly string[]): string[] {
  if (file.endsWith(".ts") && !file.startsWith("examples/")) return [];
  const reader = readers.find(([start]) => file.startsWith(start))?.[1];
  if (reader !== undefined) return [reader];
  const folder = `test/${file.split("/")[0]!}/`;
  return existsSync(dirname(folder)) ? files.filter((each) => each.startsWith(folder)) : [];
}
