import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

interface Area {
  /** Folder whose files the rule is about. */
  readonly folder: string;
  /** What its files may import beside files of the folder itself. */
  readonly may: readonly RegExp[];
}

/** Third-party packages of the compiler; of our own, the rules below name each. */
const dependencies = Object.keys(
  (JSON.parse(readFileSync("package.json", "utf8")) as { dependencies: Record<string, string> }).dependencies,
).filter((name) => !name.startsWith("@mcpgen/"));

/** Who may import whom (docs/architecture.md); a package not named here may import anything. */
const areas: readonly Area[] = [
  { folder: "generated", may: [] },
  { folder: "engine", may: [] },
  {
    folder: "runtime/core",
    // By its own name it asks for what the platform decides.
    may: [
      /^node:/,
      /^@mcpgen\/protocol\/(model|authoring|listed)$/,
      /^@mcpgen\/engine\/interpreter$/,
      /^@mcpgen\/runtime\/stdio$/,
    ],
  },
  {
    folder: "generator",
    may: [
      /^node:/,
      /^@mcpgen\/engine(\/interpreter)?$/,
      ...dependencies.map((name) => new RegExp(`^${name}(/|$)`)),
    ],
  },
  // What a user's server may: published entries, and for SQLite a package of its own.
  {
    folder: "examples",
    may: [
      /^node:/,
      /^@mcpgen\/(protocol|runtime)(\/|$)/,
      /^node-sqlite3-wasm$/,
      /^(express|fastify|hono|@hono\/node-server)$/,
    ],
  },
];

const specifierPattern =
  /(?:^|[^.\w])(?:import|export)\s[^"';]*?from\s*["']([^"']+)["']|(?:^|[^.\w])import\s*\(?\s*["']([^"']+)["']/gm;

/** Import specifiers of a module, static and dynamic, types included. */
function specifiersOf(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  return [...code.matchAll(specifierPattern)].map(([, from, bare]) => from ?? bare!);
}

/** Files that may import more than their folder. */
const exceptions: { readonly [file: string]: RegExp } = {
  // The one entry that brings the revisions: no other module imports it, so that a bundle without it holds none.
  "runtime/core/all.ts": /^@mcpgen\/protocol\/(client|server)$/,
};

/** The imports of files in `area` that its rule forbids, as `file → specifier`. */
function violations({ folder, may }: Area): string[] {
  const files = filesBelow(folder);
  return files.flatMap((file) =>
    specifiersOf(readFileSync(file, "utf8"))
      .filter((specifier) => {
        if (!specifier.startsWith("."))
          return ![...may, exceptions[file] ?? /^$/].some((pattern) => pattern.test(specifier));
        return !normalize(join(dirname(file), specifier)).startsWith(folder + "/");
      })
      .map((specifier) => `${file} → ${specifier}`),
  );
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => join(folder, file))
    .filter((file) => file.endsWith(".ts") && !/(^|\/)(node_modules|dist)\//.test(file));
}

test.each(areas.map((area) => [area.folder, area] as const))(
  "%s imports only what it may",
  (folder, area) => {
    expect(filesBelow(folder).length).toBeGreaterThan(0);
    expect(violations(area)).toEqual([]);
  },
);

/** Layers inside the generator: what files of a folder never import, as paths below generator/. */
const layers: readonly (readonly [string, RegExp])[] = [
  // The emitters of types and validators know JSON Schema and nothing of MCP.
  ...["types", "open", "validators", "check"].map(
    (emitter) => [`generator/emit/${emitter}`, /^generator\/(model|notes|input|command)\//] as const,
  ),
  ["generator/model", /^generator\/(emit|input|command)\//],
  ["generator/sample", /^generator\/(emit|model|notes|input|command)\//],
  ["generator/emit", /^generator\/(input|output|command)\//],
  ["generator/notes", /^generator\/command\//],
  ["generator/files", /^generator\/command\//],
  ["generator/files", /^generator\/(emit|command)\//],
  ["generator/revision", /^generator\/(emit|command)\//],
  ["generator/config", /^generator\/(emit|command)\//],
];

test.each(layers)("%s imports nothing of %s", (folder, forbidden) => {
  const imported = filesBelow(folder).flatMap((file) =>
    specifiersOf(readFileSync(file, "utf8"))
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => normalize(join(dirname(file), specifier)))
      .filter((path) => forbidden.test(path))
      .map((path) => `${file} → ${path}`),
  );
  expect(imported).toEqual([]);
});

test("no module of the runtime imports the entry that brings the revisions", () => {
  const importing = filesBelow("runtime/core").filter((file) =>
    specifiersOf(readFileSync(file, "utf8")).some((specifier) => /(^|\/)all(\.js)?$/.test(specifier)),
  );
  expect(importing).toEqual([]);
});

test("the reading of import specifiers sees every form", () => {
  const text = [
    'import { a } from "a";',
    'import type { b } from "b";',
    'import "c";',
    'export * from "d";',
    'const e = await import("e");',
    'import {\n  f,\n} from "f";',
    '// import "comment";',
  ].join("\n");
  expect(specifiersOf(text)).toEqual(["a", "b", "c", "d", "e", "f"]);
});
