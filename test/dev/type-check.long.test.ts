import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";
import type { Finding } from "../../generator/diagnostics/coded-error.js";
import { checkTypes, Compiler } from "../../generator/dev/compiler.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const settings = {
  module: "NodeNext",
  strict: true,
  types: [],
  skipLibCheck: true,
  outDir: "dist",
  rootDir: "src",
};

interface Example {
  readonly folder: string;
  readonly compiler: Compiler;
  readonly check: (writes?: boolean) => Promise<Finding[]>;
}

/** A project with a file of each name, and with TypeScript installed unless `packages` says otherwise. */
function example(options: object, sources: Readonly<Record<string, string>>, packages = true): Example {
  const folder = temporaryFolder();
  const file = join(folder, "tsconfig.json");
  const all = { "package.json": '{ "type": "module" }', ...sources };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const text = JSON.stringify({ compilerOptions: { ...settings, ...options }, include: ["src"] });
  writeFileSync(file, text);
  if (packages) symlinkSync(resolve("node_modules"), join(folder, "node_modules"), "dir");
  const shown = (path: string): string => relative(folder, path);
  const { signal } = new AbortController();
  return {
    folder,
    compiler: new Compiler(file, shown),
    check: (writes = false) => checkTypes({ file, writes, shown, signal }),
  };
}

test("errors of types have their places; long ones are one line; nothing is written", async () => {
  const it = example(
    {},
    {
      "src/a.ts": "export const a: string = 1;\n",
      "src/b.ts": "export const b: { x: { y: string } } = { x: { y: 1 as number | string } };\n",
    },
  );
  const found = await it.check();
  expect(found.map(({ place }) => place)).toEqual([
    { file: "src/a.ts", line: 1, column: 14 },
    { file: "src/b.ts", line: 1, column: expect.any(Number) },
  ]);
  for (const { code, message } of found) {
    expect(code).toBe("MG6801");
    expect(message).toMatch(/^Type .+ \(TS2322\)$/);
  }
  expect(existsSync(join(it.folder, "dist"))).toBe(false);
});

test("an error of the settings has the place of the settings", async () => {
  const [finding] = await example({ moduleResolution: "bundler" }, { "src/a.ts": "export {};\n" }).check();
  expect(finding).toMatchObject({ code: "MG6801", place: { file: "tsconfig.json" } });
});

test("without TypeScript in the project, the types are not checked, and the user is warned", async () => {
  const found = await example({}, { "src/a.ts": "export const a: string = 1;\n" }, false).check();
  expect(found).toMatchObject([{ code: "MG6803", severity: "warning", place: { file: "tsconfig.json" } }]);
});

test("if JavaScript cannot be written without types, the check writes it, unless there are errors", async () => {
  const sources = {
    "src/a.ts": "export const enum E { One = 1 }\n",
    "src/b.ts": 'import { E } from "./a.js";\nexport const b: number = E.One;\n',
  };
  const it = example({ declaration: true }, sources);
  expect(it.compiler.isPerFile).toBe(false);
  expect(await it.check(true)).toEqual([]);
  expect(existsSync(join(it.folder, "dist/b.d.ts"))).toBe(true);
  const wrong = example({ declaration: true }, { "src/a.ts": "export const a: string = 1;\n" });
  expect(await wrong.check(true)).toHaveLength(1);
  expect(existsSync(join(wrong.folder, "dist"))).toBe(false);
});

test("JavaScript of single files has no types, keeps its modules, and is written if it changed", async () => {
  const it = example(
    { verbatimModuleSyntax: true },
    {
      "src/a.ts":
        'import type { B } from "./b.js";\nimport { b } from "./b.js";\nexport const a: B = await b();\n',
      "src/b.ts": "export type B = number;\nexport async function b(): Promise<B> {\n  return 1;\n}\n",
      "src/c.cts": "export = 1 as number;\n",
    },
  );
  expect(it.compiler.isPerFile).toBe(true);
  const first = it.compiler.compile();
  expect(first.errors).toEqual([]);
  expect(first.written.map((path) => relative(it.folder, path)).toSorted()).toEqual([
    "dist/a.js",
    "dist/b.js",
    "dist/c.cjs",
  ]);
  expect(((await import(join(it.folder, "dist/a.js"))) as { a: number }).a).toBe(1);
  writeFileSync(join(it.folder, "src/b.ts"), "export type B = number;\nexport const b = async () => 2;\n");
  expect(it.compiler.compile().written).toEqual([join(it.folder, "dist/b.js")]);
  // Types alone change no JavaScript.
  writeFileSync(join(it.folder, "src/b.ts"), "export type B = 2;\nexport const b = async () => 2;\n");
  expect(it.compiler.compile().written).toEqual([]);
  writeFileSync(join(it.folder, "src/b.ts"), "export const b = ;\n");
  expect(it.compiler.compile()).toMatchObject({
    errors: [{ code: "MG6801", place: { file: "src/b.ts", line: 1, column: 18 } }],
    written: [],
  });
});
