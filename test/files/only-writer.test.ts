import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ts } from "ts-morph";
import { expect, test } from "vitest";

/** Members of node:fs and node:fs/promises that do not change files. */
const reading = new Set([
  ...["Dirent", "FSWatcher", "Stats"],
  // Not readFileSync, which waits for a pipe.
  ...["existsSync", "lstatSync", "readdirSync", "realpathSync", "statSync", "watch"],
  // Streams of files that the shell opened.
  "createReadStream",
]);

/** Additional members that only the reader may use; it opens without O_WRONLY, O_RDWR, O_CREAT, O_TRUNC. */
const readerOnly = new Set(["closeSync", "constants", "fstatSync", "openSync", "readSync"]);

const reader = "generator/files/regular-file.ts";
const writer = "generator/files/held-folder.ts";

/** Finds functions that can write or open files in the syntax tree of a module. */
function writes(file: string, text: string): string[] {
  const found: string[] = [];
  const isFileSystem = (node: ts.Node): boolean =>
    ts.isStringLiteralLike(node) && /^(?:node:)?fs(?:\/promises)?$/.test(node.text);
  const allowed = (name: string): boolean => reading.has(name) || (file === reader && readerOnly.has(name));
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
      if (isFileSystem(node.moduleSpecifier)) {
        const names = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : node.exportClause;
        if (!names || !("elements" in names) || (ts.isImportDeclaration(node) && node.importClause?.name))
          found.push("all of node:fs");
        else
          for (const element of names.elements) {
            const name = (element.propertyName ?? element.name).text;
            if (!allowed(name)) found.push(name);
          }
      }
    }
    if (ts.isCallExpression(node)) {
      const [first] = node.arguments;
      const isLoad =
        node.expression.kind === ts.SyntaxKind.ImportKeyword ||
        (ts.isIdentifier(node.expression) && node.expression.text === "require");
      if (isLoad && first && isFileSystem(first)) found.push("node:fs, loaded");
      if (ts.isPropertyAccessExpression(node.expression)) {
        const { name, expression } = node.expression;
        const isSystem = ts.isPropertyAccessExpression(expression) && expression.name.text === "sys";
        if (isSystem && /^(?:write|create|delete|set)/.test(name.text)) found.push(`sys.${name.text}`);
        // ts-morph and the compiler write files, unless `emit` gets a function that receives the texts.
        if (/^(?:save|saveSync|emitSync)$/.test(name.text)) found.push(name.text);
        if (name.text === "emit" && /program/i.test(expression.getText()) && node.arguments.length < 2)
          found.push("emit");
        if (name.text === "getBuiltinModule") found.push("getBuiltinModule");
      }
    }
    if (file === reader && ts.isIdentifier(node) && /^O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)$/.test(node.text))
      found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found;
}

test("one module of the generator opens files for reading; one for writing, renames and deletes", () => {
  const files = readdirSync("generator", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join("generator", name));
  expect(files.length).toBeGreaterThan(300);
  const texts = files.map((file) => ({ file, text: readFileSync(file, "utf8") }));
  // Only files with one of these words are parsed, because parsing all files takes long.
  const concerned = texts.filter(({ text }) => /fs["'`/]|\bsys\b|\bsave|\bemit|getBuiltinModule/.test(text));
  const found = concerned.filter(({ file, text }) => writes(file, text).length > 0);
  expect(found.map(({ file }) => file)).toEqual([writer]);
});

test.each([
  ['import { writeFileSync } from "node:fs";', "writeFileSync"],
  ['import { readFileSync } from "node:fs";', "readFileSync"],
  ['import { statSync as rmSync, rmSync as read } from "fs";', "rmSync"],
  ['import * as fs from "node:fs";', "all of node:fs"],
  ['import fs from "node:fs/promises";', "all of node:fs"],
  ['import fs, { statSync } from "node:fs";', "all of node:fs"],
  ['export { open } from "node:fs/promises";', "open"],
  ['export * from "node:fs";', "all of node:fs"],
  ['const fs = await import("node:fs");', "node:fs, loaded"],
  ['const fs = require("fs");', "node:fs, loaded"],
  ['process.getBuiltinModule("fs").rmSync("x");', "getBuiltinModule"],
  ['ts.sys.writeFile("x", "");', "sys.writeFile"],
  ["project.saveSync();", "saveSync"],
  ["program.emit();", "emit"],
])("the search finds %s", (text, what) => {
  expect(writes("generator/x.ts", text)).toEqual([what]);
});

test("the single reader opens files only for reading", () => {
  expect(writes(reader, "openSync(file, constants.O_RDWR);")).toEqual(["O_RDWR"]);
});
