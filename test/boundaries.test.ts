import { readFileSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";
import { describe, expect, test } from "vitest";
import { storedExtensions } from "../generator/extension/extension-store.js";
import { filesBelow, importsOf, specifiersOf } from "../scripts/rooms/imports.js";
import { planOf, plans } from "../scripts/rooms/plan.js";
import { planPicture } from "../scripts/rooms/svg.js";
import { faultsOf } from "../scripts/rooms/text.js";
import { temporaryFolder } from "./support/temporary-folder.js";

interface Area {
  /** Folder whose files the rule is about. */
  readonly folder: string;
  /** The imports that its files may have, in addition to files of the folder itself. */
  readonly may: readonly RegExp[];
}

/** Third-party packages of the compiler; of our own, the rules below name each. */
const dependencies = Object.keys(
  (JSON.parse(readFileSync("package.json", "utf8")) as { dependencies: Record<string, string> }).dependencies,
).filter((name) => !name.startsWith("@mcpgen/"));

/** The package on which all packages of the runtime are based. */
const base = /^@mcpgen\/base(\/rpc-codes)?$/;

/** Who may import whom (docs/architecture.md); a package not named here may import anything. */
const areas: readonly Area[] = [
  { folder: "generated", may: [] },
  { folder: "engine", may: [] },
  // Types of the options of requests.
  { folder: "runtime/base", may: [/^@mcpgen\/(engine\/explain|protocol\/model)$/] },
  {
    folder: "runtime/core",
    // An import of the package by name gets the module for the current platform.
    may: [
      /^node:/,
      base,
      /^@mcpgen\/protocol\/(model|authoring|open|listed)$/,
      /^@mcpgen\/engine\/(explain|interpreter|uri-template)$/,
      /^@mcpgen\/runtime\/stdio$/,
    ],
  },
  {
    folder: "runtime/auth",
    may: [/^node:/, base, /^@mcpgen\/runtime(\/(http|server))?$/, /^(jose|oauth4webapi)$/],
  },
  {
    folder: "runtime/testing",
    may: [base, /^@mcpgen\/runtime(\/(extending|all))?$/, /^@mcpgen\/protocol\/model$/],
  },
  {
    folder: "runtime/tasks",
    may: [
      base,
      /^@mcpgen\/runtime(\/extending)?$/,
      // Types of the extensions that it implements, and of tables.
      /^@mcpgen\/protocol\/(model|extensions\/.*)$/,
    ],
  },
  {
    folder: "runtime/apps",
    may: [base, /^@mcpgen\/runtime(\/extending)?$/, /^@mcpgen\/protocol\/(model|open)$/],
  },
  {
    folder: "runtime/observe",
    may: [base, /^@mcpgen\/runtime(\/extending)?$/, /^@mcpgen\/protocol\/model$/],
  },
  {
    folder: "runtime/cluster",
    may: [/^node:crypto$/, base, /^@mcpgen\/runtime(\/(extending|http))?$/, /^@mcpgen\/protocol\/authoring$/],
  },
  {
    folder: "runtime/bridge",
    may: [base, /^@mcpgen\/runtime(\/(all|extending))?$/, /^@mcpgen\/protocol\/(authoring|model|open)$/],
  },
  { folder: "runtime/sqlite", may: [base, /^@mcpgen\/tasks$/] },
  { folder: "runtime/postgres", may: [base, /^@mcpgen\/(tasks|cluster|runtime\/http)$/, /^node:crypto$/] },
  { folder: "runtime/redis", may: [base, /^@mcpgen\/(tasks|cluster|runtime(\/http)?)$/, /^node:crypto$/] },
  {
    folder: "generator",
    may: [
      /^node:/,
      /^@mcpgen\/engine(\/(interpreter|uri-template))?$/,
      ...dependencies.map((name) => new RegExp(`^${name}(/|$)`)),
    ],
  },
  // The imports that a user's server may have: published entries, one package each for SQLite, WebSockets and YAML, and agent frameworks.
  {
    folder: "examples",
    may: [
      /^node:/,
      /^@mcpgen\/(protocol|runtime|testing|auth|tasks|apps|observe|cluster|bridge)(\/|$)/,
      /^(node-sqlite3-wasm|ws|yaml)$/,
      /^(express|fastify|hono|@hono\/node-server)$/,
      /^(@mcpgen\/(postgres|redis)|bullmq|ioredis|@dbos-inc\/dbos-sdk|pg)$/,
      /^(mcpgen\/hosts|ai|genkit|langchain|@(ai-sdk|anthropic-ai|genkit-ai|langchain|mastra|openai)\/.+)$/,
    ],
  },
];

/** Files that may import more than their folder. */
const exceptions: { readonly [file: string]: RegExp } = {
  // The only entry that imports the revisions. No other module imports it, so that a bundle without it contains no
  // revision.
  "runtime/core/all.ts": /^@mcpgen\/protocol\/(client|server)$/,
  // Entries for programs that use the API of OpenTelemetry.
  ...Object.fromEntries(
    ["otel", "otel/conventions", "otel/measurements", "otel/propagation"].map((name) => [
      `runtime/observe/${name}.ts`,
      /^@opentelemetry\/api$/,
    ]),
  ),
  // The tables of extensions that need some to pass.
  "runtime/bridge/front/extensions.ts": /^@mcpgen\/protocol\/extensions\/[\w./]+\/server$/,
  "runtime/bridge/upstream/questions.ts": /^@mcpgen\/protocol\/extensions\/[\w./]+\/client$/,
  // This module belongs to an entry for programs that can use files.
  "runtime/tasks/handles.ts": /^node:(crypto|fs(\/promises)?|path)$/,
};

/** The imports of files in `area` that its rule forbids, as `file → specifier`. */
function violations({ folder, may }: Area): string[] {
  const files = filesBelow(folder);
  return files.flatMap((file) =>
    specifiersOf(readFileSync(file, "utf8"))
      .map(({ specifier }) => specifier)
      .filter((specifier) => {
        if (!specifier.startsWith("."))
          return ![...may, exceptions[file] ?? /^$/].some((pattern) => pattern.test(specifier));
        return !normalize(join(dirname(file), specifier)).startsWith(folder + "/");
      })
      .map((specifier) => `${file} → ${specifier}`),
  );
}

test.each(areas.map((area) => [area.folder, area] as const))(
  "%s imports only what it may",
  (folder, area) => {
    expect(filesBelow(folder).length).toBeGreaterThan(0);
    expect(violations(area)).toEqual([]);
  },
);

/** Inside one room: the emitters of types and validators know JSON Schema, but not MCP. */
const pureEmitters = ["types", "open", "validators", "explain"].map(
  (name) => `generator/targets/typescript/${name}`,
);

test.each(pureEmitters)("%s does not import the protocol", (folder) => {
  const imported = importsOf(filesBelow(folder)).filter(({ to }) => /^generator\/(model|notes)\//.test(to));
  expect(imported).toEqual([]);
});

describe.each(plans().map((plan) => [plan.folder, plan] as const))("the rooms of %s", (_, plan) => {
  test("exist, and contain every file", () => {
    expect(plan.rooms.filter(({ files }) => files === 0)).toEqual([]);
    expect(plan.homeless).toEqual([]);
  });

  test("import only from rooms below them; files never import each other in a circle", () => {
    expect(faultsOf(plan)).toEqual([]);
  });
});

test("the diagram shows every room", () => {
  const picture = planPicture(plans());
  for (const { rooms } of plans())
    for (const { holds } of rooms) expect(picture).toContain(`>${holds}</text>`);
});

test("upward imports, imports through a wall and import cycles are found", () => {
  const folder = temporaryFolder({
    "low/a.ts": 'import type { b } from "../high/b.js";',
    "high/b.ts": 'export { c } from "./c.js";',
    "high/c.ts": 'import "../low/a.js"; export const c = () => import("./b.js");',
    "aside/d.ts": 'import { b } from "../high/b.js";',
    "lost/e.ts": "",
  });
  const at = (path: string): string => [folder, path].join(sep).split(sep).join("/");
  const plan = planOf({
    folder: folder.split(sep).join("/"),
    rooms: ["low", "high", "aside"].map((name) => ({ path: at(name), holds: "" })),
    walls: [[at("aside"), at("high")]],
  });
  expect(faultsOf(plan).map((fault) => fault.replaceAll(at(""), ""))).toEqual([
    "aside/d.ts imports high/b.ts, which stands behind a wall",
    "low/a.ts imports high/b.ts, which stands above it",
    "these files load one another in a circle: high/b.ts, high/c.ts",
    "lost/e.ts stands in no room (scripts/rooms/rooms.ts)",
  ]);
});

test("only the command call, the commands of tasks and the page of dev load the package of tasks", () => {
  const loading = importsOf(filesBelow("generator"))
    .filter(({ to, typeOnly }) => !typeOnly && to === "generator/capture/live-tasks.ts")
    .map(({ from }) => from);
  expect(new Set(loading)).toEqual(
    new Set([
      "generator/command/call.ts",
      "generator/command/dev/page.ts",
      "generator/command/task/server-tasks.ts",
      "generator/dev/page/calls.ts",
    ]),
  );
  const opening = importsOf(filesBelow("generator"))
    .filter(({ to, typeOnly }) => !typeOnly && to === "generator/command/task/server-tasks.ts")
    .map(({ from }) => from);
  expect(opening.filter((file) => !/^generator\/command\/(call\.ts|task(\.ts|\/))/.test(file))).toEqual([]);
});

test("in the core, only the entries load the code of legacy revisions", () => {
  const room = "runtime/core/legacy/";
  const loading = importsOf(filesBelow("runtime/core"))
    .filter(({ from, to, typeOnly }) => !typeOnly && to.startsWith(room) && !from.startsWith(room))
    .map(({ from }) => from);
  expect(loading).toContain("runtime/core/server.ts");
  expect(loading.filter((file) => !/^runtime\/core\/[^/]+\.ts$/.test(file))).toEqual([]);
  expect(loading.filter((file) => file.startsWith("runtime/core/modern"))).toEqual([]);
});

test("no module of the runtime imports the entry that brings the revisions", () => {
  const importing = filesBelow("runtime/core").filter((file) =>
    specifiersOf(readFileSync(file, "utf8")).some(({ specifier }) => /(^|\/)all(\.js)?$/.test(specifier)),
  );
  expect(importing).toEqual([]);
});

test("import specifiers of every form are read", () => {
  const text = [
    'import { a } from "a";',
    'import type { b } from "b";',
    'import { type b2 } from "b2";',
    'type B3 = import("b3").B;',
    'import "c";',
    'export * from "d";',
    'const e = await import("e");',
    'import {\n  f,\n} from "f";',
    '// import "comment";',
  ].join("\n");
  expect(
    specifiersOf(text).map(({ specifier, typeOnly }) => `${specifier}${typeOnly ? " (types)" : ""}`),
  ).toEqual(["a", "b (types)", "b2 (types)", "b3 (types)", "c", "d", "e", "f"]);
});

/** The code without its comments. */
function codeOf(text: string): string {
  return text.replace(/\/\*.*?\*\/|(?<=^|\s)\/\/ [^\n]*/gs, "");
}

/** Lines of code that name a revision, or compare two; comments may name one. */
function revisionsNamed(file: string, text: string): string[] {
  return codeOf(text)
    .split("\n")
    .filter((line) => /20\d\d-\d\d-\d\d|\b(id|revision|version)\b\s*[<>]=?\s/i.test(line))
    .map((line) => `${file}: ${line.trim()}`);
}

test("the runtime names no revision, and orders them in one place", () => {
  const found = ["base", "core"]
    .flatMap((name) => filesBelow(`runtime/${name}`))
    .flatMap((file) => revisionsNamed(file, readFileSync(file, "utf8")));
  expect(found).toEqual(["runtime/core/protocol/revision-view.ts: return id > other;"]);
});

test.each([
  'if (revision === "2025-11-25") return;',
  "const old = view.id >= first;",
  "const text = `since 2025-03-26`;",
])("a revision named or compared in code is found: %s", (line) => {
  expect(
    revisionsNamed("a.ts", `/** Of 2025-11-25. */\n// 2025-11-25\nconst a = 1; // 2025-11-25\n${line}\n`),
  ).toEqual([`a.ts: ${line}`]);
});

test("no code of the runtime names an extension, or a method of one", () => {
  const schemas = storedExtensions("schema");
  const names = schemas.flatMap(({ id, folder }) => {
    const text = readFileSync(join(folder, "schema.json"), "utf8");
    const methods = [...text.matchAll(/"method": \{\s*"const": "([^"]+)"/g)].map(([, method]) => method!);
    return [id, ...methods];
  });
  expect(names).toEqual(
    expect.arrayContaining(["io.modelcontextprotocol/skills", "skills/list", "tasks/get"]),
  );
  const folders = ["runtime/base", "runtime/core", "engine/emitted/extending"];
  const found = folders.flatMap(filesBelow).flatMap((file) => {
    const code = codeOf(readFileSync(file, "utf8"));
    return names.filter((name) => code.includes(name)).map((name) => `${file}: ${name}`);
  });
  expect(found).toEqual([]);
});
