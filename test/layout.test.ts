import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { filesBelow, importsOf } from "../scripts/rooms/imports.js";
import { buildings } from "../scripts/rooms/rooms.js";

// The rules are in CONTRIBUTING.md, "Where tests are".

const foldersIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** The names of a building's rooms; for a room in a room, its first part. */
function roomsOf(folder: string): Set<string> {
  const { rooms } = buildings.find((building) => building.folder === folder)!;
  return new Set(rooms.map(({ path }) => path.slice(folder.length + 1).split("/")[0]!));
}

/** The folders of tests of several rooms, as CONTRIBUTING.md lists them. */
const listed = new Set(
  [...readFileSync("CONTRIBUTING.md", "utf8").matchAll(/^\| `test\/([\w-]+)\/` \|/gm)].map(
    ([, name]) => name!,
  ),
);

test("a folder of tests has the name of a room, or CONTRIBUTING.md lists it", () => {
  const rooms = roomsOf("generator");
  const others = foldersIn("test").filter(
    (name) =>
      !rooms.has(name) &&
      ![
        "engine",
        "base",
        "runtime",
        "testing",
        "auth",
        "tasks",
        "apps",
        "observe",
        "cluster",
        "bridge",
        "sqlite",
      ].includes(name),
  );
  expect(others.toSorted()).toEqual([...listed].toSorted());
  expect(foldersIn("test/engine").filter((name) => !roomsOf("engine").has(name))).toEqual([]);
  expect(foldersIn("test/runtime").filter((name) => !roomsOf("runtime/core").has(name))).toEqual([]);
  expect(foldersIn("test/base").filter((name) => !roomsOf("runtime/base").has(name))).toEqual([]);
  expect(foldersIn("test/testing").filter((name) => !roomsOf("runtime/testing").has(name))).toEqual([]);
  expect(foldersIn("test/auth").filter((name) => !roomsOf("runtime/auth").has(name))).toEqual([]);
  expect(foldersIn("test/tasks").filter((name) => !roomsOf("runtime/tasks").has(name))).toEqual([]);
  expect(foldersIn("test/apps").filter((name) => !roomsOf("runtime/apps").has(name))).toEqual([]);
  expect(foldersIn("test/observe").filter((name) => !roomsOf("runtime/observe").has(name))).toEqual([]);
  expect(foldersIn("test/cluster").filter((name) => !roomsOf("runtime/cluster").has(name))).toEqual([]);
  expect(foldersIn("test/bridge").filter((name) => !roomsOf("runtime/bridge").has(name))).toEqual([]);
  expect(foldersIn("test/sqlite").filter((name) => !roomsOf("runtime/sqlite").has(name))).toEqual([]);
  expect(foldersIn("test/runtime/http").toSorted()).toEqual(["client", "programs", "server"]);
});

test("each test is in a run: of vitest, or of a script that names its folder", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly scripts: object };
  const suites = [...JSON.stringify(scripts).matchAll(/(test\/[\w/]+)\/\*\.test\.mjs/g)].map(
    ([, path]) => path!,
  );
  const config = readFileSync("vitest.config.ts", "utf8");
  const excluded = [...config.matchAll(/"(test\/\w+\/)\*\*"/g)].map(([, path]) => path!);
  expect(Math.min(suites.length, excluded.length)).toBeGreaterThan(3);
  const tests = readdirSync("test", { recursive: true, encoding: "utf8" }).map((file) => join("test", file));
  const stray = tests.filter(
    (file) =>
      (file.endsWith(".test.mjs") && !suites.includes(dirname(file))) ||
      (file.endsWith(".test.ts") && excluded.some((folder) => file.startsWith(folder))),
  );
  expect(stray.filter((file) => !file.includes("node_modules"))).toEqual([]);
});

const files = filesBelow("test").filter(
  (file) => !/^test\/(engines|interop|portability|scale|golden|fixtures)\//.test(file),
);
const imports = importsOf([...files, ...filesBelow("bench")]);
/** The folder of a file: of a room of a building beside the generator, that room's. */
function areaOf(file: string): string {
  const folders = file.split("/").slice(0, -1);
  return folders
    .slice(
      0,
      /^(?:engine|base|runtime|testing|auth|tasks|apps|observe|cluster|bridge|sqlite)$/.test(folders[1] ?? "")
        ? 3
        : 2,
    )
    .join("/");
}

test("test/support contains exactly the helpers that tests of two folders use", () => {
  const helpers = files.filter((file) => !file.endsWith(".test.ts"));
  const misplaced = helpers.filter((helper) => {
    const areas = new Set(imports.filter(({ to }) => to === helper).map(({ from }) => areaOf(from)));
    if (areaOf(helper) !== "test/support")
      return [...areas].some((area) => area !== areaOf(helper) && !area.startsWith(`${areaOf(helper)}/`));
    return areas.size < 2 && !areas.has("test/support") && !alone.has(helper);
  });
  expect(misplaced).toEqual([]);
});

/** Modules of test/support that no other module imports, or tests of one folder alone. */
const alone = new Set([
  "test/support/seed.ts", // vitest.config.ts
  "test/support/loaded.ts", // vitest.config.ts
  "test/support/real-time.ts", // vitest.config.ts
  "test/support/auth/search-output.ts", // vitest.config.ts
  "test/support/every-feature/main.ts", // a program
  "test/support/every-feature/expected.ts",
  "test/support/every-feature/judge.ts",
]);

/** Ways to wait or retry that fail on a busy machine, because they have a separate time limit, or that hide a failure. */
const hasty = [/\bvi\.wait(?:For|Until)\(/, /\.poll\([^;]*?\btimeout:/, /[{,]\s*retry: \d/];

test("tests wait with test/support/until.mjs, and are never retried", () => {
  const found = files.filter((file) => {
    const text = readFileSync(file, "utf8");
    return file !== "test/layout.test.ts" && hasty.some((pattern) => pattern.test(text));
  });
  expect(found).toEqual([]);
});

/** Fixed numbers and seeds in a property: the nightly run would not draw more or other cases. */
const fixedDraws = [/\bnumRuns: ?\d/, /\bfc\.sample\([^;]*?\bseed: ?\d/, /\{ ?seed: ?\d[^}]*numRuns/];

test("test/support/cases.mjs decides how many cases a property draws, and from which seed", () => {
  const found = files.filter((file) => {
    const text = readFileSync(file, "utf8");
    return file !== "test/layout.test.ts" && fixedDraws.some((pattern) => pattern.test(text));
  });
  expect(found).toEqual([]);
});

test.each([
  "engine",
  "runtime/base",
  "runtime/core",
  "runtime/testing",
  "runtime/auth",
  "runtime/tasks",
  "runtime/sqlite",
  "runtime/postgres",
  "runtime/apps",
  "runtime/observe",
  "runtime/cluster",
  "runtime/bridge",
  "runtime/redis",
])("package.json of %s exports all entries, and no others", (folder) => {
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
  const named = Object.values(exports).flatMap((target) => Object.values(target));
  const sources = named
    .filter((path) => path.endsWith(".js"))
    .map((path) => path.replace("./dist/", "").replace(/\.js$/, ".ts"));
  const entries = readdirSync(folder).filter((name) => name.endsWith(".ts"));
  expect([...new Set(sources)].sort()).toEqual(entries.sort());
  for (const [key, { types, default: code, "mcpgen-source": source }] of Object.entries(exports)) {
    const name = key === "." ? "index" : key.slice(2);
    expect([source, types, code]).toEqual([`./${name}.ts`, `./dist/${name}.d.ts`, `./dist/${name}.js`]);
  }
});

test("golden files do not contain modules that every output has", () => {
  const emitted = new Set(filesBelow("engine/emitted").map((file) => file.slice("engine/emitted/".length)));
  const golden = filesBelow("test/golden").filter((file) =>
    [...emitted].some((name) => file.endsWith(`/${name}`)),
  );
  expect(golden).toEqual([]);
});
