// docs/migration-exports.md names every export of the official SDK, and no other.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Project } from "ts-morph";
import { migrationTable } from "./migration-table.mjs";

const installed = fileURLToPath(new URL("node_modules/@modelcontextprotocol/", import.meta.url));

/** The packages, by the version of the SDK that the page says. */
const packages = { sdk: "1", server: "2", client: "2", node: "2", core: "2" };

/** The entries of a package: specifier and declarations. A `*` stands for every file. */
function entriesOf(name) {
  const folder = join(installed, name);
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return Object.entries(exports).flatMap(([entry, target]) => {
    const specifier = join("@modelcontextprotocol", name, entry);
    const declarations = join(folder, typesOf(target));
    if (!entry.endsWith("*")) return existsSync(declarations) ? [{ specifier, declarations }] : [];
    const from = dirname(declarations);
    return readdirSync(from, { recursive: true })
      .filter((file) => file.endsWith(".d.ts"))
      .map((file) => ({
        specifier: specifier.replace("*", file.replace(/\.d\.ts$/, ".js")),
        declarations: join(from, file),
      }));
  });
}

/** The declarations that the conditions of an entry lead to. */
function typesOf(target) {
  return typeof target === "string" ? target : (target.types ?? typesOf(target.import ?? target.node));
}

const project = new Project({
  skipAddingFilesFromTsConfig: true,
  skipLoadingLibFiles: true,
  compilerOptions: { noLib: true, types: [] },
  // Only what the SDK itself declares: it exports nothing of other packages by `*`.
  resolutionHost: () => ({
    resolveModuleNames: (specifiers, file) => specifiers.map((specifier) => declarationsOf(specifier, file)),
  }),
});

function declarationsOf(specifier, file) {
  const own = /^@modelcontextprotocol\/(\w+)(.*)$/.exec(specifier);
  const path = own
    ? entriesOf(own[1]).find((entry) => entry.specifier === specifier)?.declarations
    : specifier.startsWith(".")
      ? join(dirname(file), specifier.replace(/\.([cm]?)js$/, ".d.$1ts"))
      : undefined;
  return path !== undefined && existsSync(path) ? { resolvedFileName: path } : undefined;
}

/** The names that an entry exports, values and types. */
function namesIn(declarations) {
  const file = project.addSourceFileAtPath(declarations);
  return file.getSymbol() ? file.getExportSymbols().map((symbol) => symbol.getName()) : [];
}

/** The exports of the SDK, each with its versions. */
const exported = new Map();
const entries = Object.entries(packages).flatMap(([name, version]) =>
  entriesOf(name).map(({ specifier, declarations }) => {
    const names = namesIn(declarations);
    for (const each of names) exported.set(each, new Set(exported.get(each)).add(version));
    return { specifier, names };
  }),
);
const table = migrationTable();
const { rows, types, schemas } = table;
const inRows = rows.flatMap(({ names }) => names);

test("the declarations name what the modules of the SDK export", async () => {
  // What runs when it is imported is left out: examples.
  for (const { specifier, names } of entries.filter(
    (entry) => !/\/examples\/|cf-?worker/.test(entry.specifier),
  ))
    for (const name of Object.keys(await import(specifier)))
      assert.ok(names.includes(name), `${specifier}: ${name}`);
});

test("every export of the SDK has a row, or its name in a list", () => {
  const named = new Set([...inRows, ...types, ...schemas]);
  assert.deepEqual([...exported.keys()].filter((name) => !named.has(name)).sort(), []);
  assert.ok(exported.size > 850, String(exported.size));
});

test("every row and every list names exports of the SDK, each once", () => {
  assert.deepEqual(
    [...inRows, ...types, ...schemas].filter((name) => !exported.has(name)),
    [],
  );
  for (const names of [inRows, types, schemas]) assert.equal(new Set(names).size, names.length, twice(names));
});

function twice(names) {
  return `twice: ${names.filter((name, index) => names.indexOf(name) < index).join(", ")}`;
}

test("every row says which version of the SDK has the exports", () => {
  for (const { names, versions } of rows) {
    const having = new Set(names.flatMap((name) => [...(exported.get(name) ?? [])]));
    assert.equal(versions, [...having].sort().join(", "), names.join(", "));
  }
});
