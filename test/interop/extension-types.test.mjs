// The types of the ui extension are those of the package ext-apps, by the strict `Equal` test.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Project, ts } from "ts-morph";

const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");

const upstream = read("node_modules/@modelcontextprotocol/ext-apps/dist/src/spec.types.d.ts");

const output = "../../generated";

/** Without what the package takes from the official SDK: both sides take the types of the protocol from one file. */
const imported = /^import type \{([^}]*)\} from "@modelcontextprotocol\/client";$/m;

const equal =
  "type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;";

const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  lib: ["lib.es2022.d.ts"],
  types: [],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
};

/** The exported types of upstream's file, and the names of those that are other types in ours. */
function compared(base, theirs = upstream) {
  const ours = read(`${output}/extensions/io.modelcontextprotocol/ui/${base}/types.ts`);
  const project = new Project({ useInMemoryFileSystem: true, compilerOptions });
  project.createSourceFile("base.ts", read(`${output}/${base}/types.ts`));
  project.createSourceFile("ours.ts", ours.replace(/"[^"]*\/types\.js"/, '"./base.js"'));
  // A definition that the channel uses outside of an era is in the files of the extension.
  const names = imported.exec(theirs)[1].match(/\w+/g);
  const from = (name) =>
    new RegExp(`^export (?:type|interface) ${name}\\b`, "m").test(ours) ? "ours" : "base";
  const protocol = names.map((name) => `import type { ${name} } from "./${from(name)}.js";`).join("\n");
  const source = project.createSourceFile("theirs.d.ts", theirs.replace(imported, protocol));
  const declared = [...source.getInterfaces(), ...source.getTypeAliases()]
    .filter((declaration) => declaration.isExported())
    .map((declaration) => declaration.getName());
  const lines = declared.map((name) => `const _${name}: Equal<Theirs.${name}, Ours.${name}> = true;`);
  const head = [
    'import type * as Theirs from "./theirs.js";',
    'import type * as Ours from "./ours.js";',
    equal,
  ];
  const file = project.createSourceFile("equal.ts", [...head, ...lines].join("\n"));
  const differing = file
    .getPreEmitDiagnostics()
    .map((diagnostic) => declared[diagnostic.getLineNumber() - head.length - 1]);
  return { declared, differing };
}

for (const base of ["2025-06-18", "2025-11-25", "2026-07-28"]) {
  test(`39 of 39 types over ${base} are identical to those of ext-apps`, () => {
    const { declared, differing } = compared(base);
    assert.equal(declared.length, 39);
    assert.deepEqual(differing, []);
  });
}

test("a type that differs in one modifier is found", () => {
  const changed = upstream.replace("resourceUri?: string;", "resourceUri: string;");
  assert.deepEqual(compared("2025-11-25", changed).differing, ["McpUiToolMeta"]);
});
