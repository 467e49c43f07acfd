import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import type { Dialect, JsonValue } from "@mcpgen/engine";
import { metaSchemas } from "@mcpgen/engine/meta-schemas";

/** The official JSON Schema tests; see the README in that folder. */
const folder = new URL("../fixtures/json-schema-test-suite/", import.meta.url).pathname;

/** A schema, with valid and invalid values. */
export interface SuiteGroup {
  readonly description: string;
  readonly schema: JsonValue;
  readonly tests: readonly {
    readonly description: string;
    readonly data: JsonValue;
    readonly valid: boolean;
  }[];
}

/** One file of the suite. */
export interface SuiteFile {
  readonly dialect: Dialect;
  /** Path below the folder of the dialect, such as `optional/format/email.json`. */
  readonly path: string;
  readonly optional: boolean;
  /** Whether the file requires that formats are asserted. */
  readonly format: boolean;
  readonly groups: readonly SuiteGroup[];
}

const folders = { "2020-12": "draft2020-12", "draft-07": "draft7" } as const;

/** Returns all files of a dialect, required and optional ones, in order of path. */
export function suiteFiles(dialect: keyof typeof folders): SuiteFile[] {
  return jsonFiles(join(folder, "tests", folders[dialect])).map(([path, groups]) => ({
    dialect,
    path,
    optional: path.startsWith("optional/"),
    format: path.startsWith("optional/format/"),
    groups: groups as unknown as SuiteGroup[],
  }));
}

/** The targets of references in the tests: the documents of the suite, and the official meta-schemas. */
export const suiteDocuments: ReadonlyMap<string, JsonValue> = new Map([
  ...metaSchemas,
  ...jsonFiles(join(folder, "remotes")).map(
    ([path, document]) => [`http://localhost:1234/${path}`, document] as const,
  ),
]);

function jsonFiles(root: string): [string, JsonValue][] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => [relative(root, file), JSON.parse(readFileSync(file, "utf8")) as JsonValue]);
}
