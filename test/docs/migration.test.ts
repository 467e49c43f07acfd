import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Type } from "ts-morph";
import { expect, test } from "vitest";
import { marksIn, migrationTable } from "../interop/migration-table.mjs";
import { thoroughTest } from "../support/thorough-test.js";

// test/interop compares the other side of the page: the exports of the official SDK.

const rows = migrationTable();

/** The sources of a package's entries, by specifier. */
function entriesOf(folder: string): [specifier: string, source: string][] {
  const { name, exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    name: string;
    exports: Record<string, { "mcpgen-source"?: string }>;
  };
  return Object.entries(exports).flatMap(([entry, { "mcpgen-source": source }]) =>
    source === undefined ? [] : [[join(name, entry), join(folder, source)]],
  );
}

const runtime = entriesOf("runtime/core");
const entries = new Map([
  // These come before the runtime, so that its names take precedence.
  ...entriesOf("runtime/tasks"),
  ...entriesOf("runtime/observe"),
  ...entriesOf("runtime/testing"),
  ...runtime,
  ...entriesOf("runtime/auth"),
  ...entriesOf("generated"),
]);

/** The text of an entry, and of the modules that it re-exports with `export *`. */
function textsOf(source: string): string[] {
  const text = readFileSync(source, "utf8");
  const others = [...text.matchAll(/^export \* from "(\.[^"]*)\.js";/gm)];
  return [text, ...others.flatMap(([, other]) => textsOf(join(dirname(source), `${other}.ts`)))];
}

/** The names that the entries with this ending of the specifier export. */
function namesIn(suffix = ""): Set<string> {
  const texts = [...entries]
    .filter(([specifier]) => specifier.endsWith(suffix))
    .flatMap(([, source]) => textsOf(source));
  return new Set(
    texts.flatMap((text) => [
      ...[...text.matchAll(/^export (?:async )?(?:const|function|interface|type) (\w+)/gm)].map(
        ([, name]) => name!,
      ),
      ...[...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(
        ([, list]) => list!.match(/\w+/g) ?? [],
      ),
    ]),
  );
}

const ours = namesIn();
const codes = readFileSync("runtime/base/jsonrpc/errors.ts", "utf8");

/** The types of the lower-case names on the page. */
const receivers: Readonly<Record<string, string>> = {
  server: "CodeFirstServer",
  client: "Client",
  context: "HandlerContext",
  ask: "Ask",
  http: "HttpServer",
};

/** Whether an entry, an error code or an export of ours has this name; of `a.b`, the type of `a`. */
function exists(mark: string): boolean {
  if (mark.startsWith("@mcpgen/")) return entries.has(mark.replace("<revision>", "2026-07-28"));
  if (/^[a-z]+(-[a-z]+)+$/.test(mark)) return codes.includes(`| "${mark}"`);
  const [name] = mark.split(".");
  return ours.has(receivers[name!] ?? name!);
}

test("each counterpart that docs/migration-exports.md names exists", () => {
  for (const { names, here } of rows)
    expect(
      marksIn(here).filter((mark) => !exists(mark)),
      names.join(", "),
    ).toEqual([]);
});

// The types of the whole runtime take seconds.
thoroughTest("each member that docs/migration-exports.md names exists", async () => {
  const hasMember = await memberReader();
  const paths = rows
    .flatMap(({ names, here }) => marksIn(here).flatMap((mark) => pathsOf(mark, names)))
    .filter((path) => /^\w+(\.\w+)+$/.test(path));
  expect(paths.length).toBeGreaterThan(50);
  expect(paths.filter((path) => !hasMember(path.split(".")))).toEqual([]);
});

/** `A.*` has the names of its row. */
function pathsOf(mark: string, names: readonly string[]): string[] {
  return mark.endsWith(".*") ? names.map((name) => mark.replace("*", name)) : [mark];
}

/** Says whether a type has a member at a path such as `ConnectOptions.http.fetch`. */
async function memberReader(): Promise<(path: readonly string[]) => boolean> {
  const { Project } = await import("ts-morph");
  const project = new Project({
    tsConfigFilePath: "runtime/core/tsconfig.json",
    skipAddingFilesFromTsConfig: true,
    compilerOptions: { customConditions: ["mcpgen-source"] },
  });
  const files = [...entries]
    .filter(([specifier]) => /^@mcpgen\/(runtime|tasks|protocol\/(authoring|model|open))/.test(specifier))
    .map(([, source]) => project.addSourceFileAtPath(source));
  const symbols = files
    .filter((file) => file.getSymbol())
    .flatMap((file) => file.getExportSymbols())
    .map((symbol) => [symbol.getName(), symbol.getAliasedSymbol() ?? symbol] as const);
  // Two entries may export different types of one name.
  return ([name, ...path]) =>
    symbols.some(([exported, symbol]) => {
      if (exported !== (receivers[name!] ?? name!)) return false;
      let type: Type | undefined = symbol.getDeclaredType();
      for (const member of path)
        type = type?.getNonNullableType().getProperty(member)?.getTypeAtLocation(files[0]!);
      return type !== undefined;
    });
}

test("each table has names, and says the types whose members they are", () => {
  expect(rows.length).toBeGreaterThan(180);
  expect(rows.flatMap(({ names }) => names).filter((name) => !/^[\w*]+$/.test(name))).toEqual([]);
  expect(new Set(rows.flatMap(({ types }) => types)).size).toBeGreaterThan(20);
});

test("each row has a counterpart or a reason", () => {
  for (const { names, here } of rows) {
    if (here.startsWith("None")) expect(here).toMatch(/^None.*: .{10}/);
    else expect(here, names.join(", ")).toMatch(/`|\]\(|^Always so/);
    expect(here).not.toMatch(/missing(?!-)|not yet/i);
  }
});
