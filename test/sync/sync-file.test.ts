import { describe, expect, test } from "vitest";
import { type SyncContract } from "../../generator/sync/file-work.js";
import { noExports, serverExports, unknownExports } from "../../generator/sync/meanings.js";
import { syncFile } from "../../generator/sync/sync-file.js";
import type { Wanted } from "../../generator/sync/wanted.js";

const weather: SyncContract = {
  file: "weather.yaml",
  wanted: new Map([
    ["tools", ["get_weather", "list-cities"]],
    ["prompts", ["forecast"]],
  ]) as Wanted,
  lookIn: (specifier) => (specifier === "./generated/server.js" ? serverExports : noExports),
  anywhere: `import("./generated/server.js").Handlers`,
};
const head = 'import type { Handlers } from "./generated/server.js";\n';
const sync = (text: string, contracts = [weather]): ReturnType<typeof syncFile> =>
  syncFile(text, "h.ts", contracts);
const stub = (section: string, name: string, indent: string): string =>
  `${indent}async ${/^\w+$/.test(name) ? name : `"${name}"`}(args, context): Promise<Handlers.Answer<"${section}", "${name}">> {\n` +
  `${indent}  throw new Error("${name} is not written yet");\n${indent}}`;

describe("a contract with `task`", () => {
  const withTasks = { ...weather, tasks: ["get_weather", "list-cities"] };
  const made = (options: string): ReturnType<typeof syncFile> =>
    sync(
      `import { createWeatherServer } from "./generated/server.js";\n` +
        `import { handlers } from "./handlers.js";\ncreateWeatherServer(handlers${options});\n`,
      [withTasks],
    );

  test.each([", { revisions }", ", { revisions, extensions: [] }"])(
    "options %s lack the extension",
    (options) => {
      expect(made(options).findings).toEqual([
        {
          code: "MG6508",
          severity: "error",
          message:
            'the server has no extension that runs tasks, and weather.yaml has `task` on "get_weather" and 1 more',
          place: { file: "h.ts", line: 3, column: 31 },
          next: expect.stringContaining("@mcpgen/tasks") as string,
          detail: expect.stringContaining("  extensions: [tasks(tasksExtension)],") as string,
        },
      ]);
      expect(made(options).insertions).toEqual([]);
    },
  );

  test.each([
    "",
    ", options",
    ", { ...options }",
    ", { revisions, extensions }",
    ", { [name]: [] }",
    ", { revisions, extensions: [tasks(tasksExtension)] }",
    ", { revisions, extensions: [...others] }",
  ])("options %s may have it", (options) => {
    expect(made(options).findings).toEqual([]);
  });
});

test("missing handlers are appended, and nothing else changes", () => {
  const before = `${head}
export const handlers: Handlers = {
  tools: {
    // mine
    async get_weather({ city }) { return { structuredContent: { city } }; }, // stays
  },
  prompts: { forecast: () => "sun" },
};
`;
  const { text, missing, findings } = sync(before);
  expect(text).toBe(before.replace("// stays\n", `// stays\n${stub("tools", "list-cities", "    ")},\n`));
  expect(missing).toEqual([
    {
      contract: "weather.yaml",
      section: "tools",
      name: "list-cities",
      place: { file: "h.ts", line: 4, column: 10 },
    },
  ]);
  expect(findings).toEqual([]);
});

test("a missing section is inserted whole; a last member without a comma gets one, before its comment", () => {
  const before = `${head}const handlers = {\n\ttools: {\n\t\tget_weather() {}, ["list-cities"]() {}\n\t} // last\n} satisfies Handlers;\n`;
  const { text } = sync(before);
  expect(text).toBe(
    `${head}const handlers = {\n\ttools: {\n\t\tget_weather() {}, ["list-cities"]() {}\n\t}, // last\n\tprompts: {\n` +
      `${stub("prompts", "forecast", "\t\t").replace("\t\t  throw", "\t\t\tthrow")},\n\t}\n} satisfies Handlers;\n`,
  );
});

test("empty and one-line literals are opened; line ends are those of the file", () => {
  const { text } = sync(
    `${head}const handlers: Handlers = { tools: {}, prompts: { forecast } };\n`.replaceAll("\n", "\r\n"),
  );
  expect(text).toBe(
    `${head}const handlers: Handlers = { tools: {\n${stub("tools", "get_weather", "  ")},\n${stub("tools", "list-cities", "  ")},\n}, prompts: { forecast } };\n`.replaceAll(
      "\n",
      "\r\n",
    ),
  );
});

const complete = "tools: { get_weather, 'list-cities': x }, prompts: { forecast }";
describe("handlers are recognised by their type, in every notation", () => {
  test.each([
    ["an annotation", "const h: Handlers = { tools: {}, prompts: {} };"],
    ["satisfies", "export default { tools: {}, prompts: {} } satisfies Handlers;"],
    ["as", "const h = ({ tools: {}, prompts: {} } as Handlers);"],
    ["an old assertion", "const h = <Handlers>{ tools: {}, prompts: {} };"],
    [
      "the return type of a function",
      "function make(db: unknown): Handlers { return { tools: {}, prompts: {} }; }",
    ],
    ["the return type of a method", "class F { make(): Handlers { return { tools: {}, prompts: {} }; } }"],
    ["an arrow", "const make = async (): Promise<Handlers> => ({ tools: {}, prompts: {} });"],
    [
      "an alias",
      "type Mine = Readonly<Handlers> & { close(): void };\nconst h: Mine = { close() {}, tools: {}, prompts: {} };",
    ],
    ["an interface", "interface Mine extends Handlers {}\nconst h: Mine = { tools: {}, prompts: {} };"],
    ["a class", "class Mine implements Handlers { tools = {}; readonly prompts: Handlers['prompts'] = {} }"],
    [
      "getters of a class",
      "class Mine implements Handlers { get tools() { return {}; } get prompts() { return {}; } }",
    ],
    [
      "an argument",
      'import { createWeatherServer } from "./generated/server.js";\ncreateWeatherServer({ tools: {}, prompts: {} }, {});',
    ],
    ["a name", "const tools = {}, prompts = {};\nconst h: Handlers = { tools, prompts };"],
    [
      "sections in separate declarations",
      'const tools: Handlers["tools"] = {};\nconst prompts = {} satisfies Handlers["prompts"];',
    ],
    ["a property", "class App { readonly handlers: Handlers = Object.freeze({ tools: {}, prompts: {} }); }"],
    [
      "a class of tools",
      'type T = Handlers["tools"];\nclass Tools implements T {}\nconst h: Handlers = { tools: new Tools(), prompts: {} };',
    ],
    ["an assignment later", "let h: Handlers;\nif (x) h = { tools: {}, prompts: {} };"],
    ["a type with others", "let h: Handlers | undefined;\nh = { tools: {}, prompts: {} };"],
    [
      "a property that the constructor sets",
      "class App { handlers: Handlers; constructor() { this.handlers = { tools: {}, prompts: {} }; } }",
    ],
    [
      "the return type of a function type",
      "const make: (db: Db) => Handlers = () => ({ tools: {}, prompts: {} });",
    ],
    ["a parameter", "function serve(h: Handlers = { tools: {}, prompts: {} }) {}"],
    ["an import type", 'const h: import("./generated/server.js").Handlers = { tools: {}, prompts: {} };'],
    [
      "a section of an import type",
      'type W = import("./generated/server.js").Handlers;\nconst t: W["tools"] = {};\nconst p: W["prompts"] = {};',
    ],
    [
      "the parameters of the function that makes the server",
      'import { createWeatherServer } from "./generated/server.js";\nconst h: Parameters<typeof createWeatherServer>[0] = { tools: {}, prompts: {} };',
    ],
    [
      "a module imported where code runs",
      'const { createWeatherServer: make } = await import("./generated/server.js");\nmake({ tools: {}, prompts: {} });',
    ],
    [
      "an import with require, and a name for a member of it",
      'import weather = require("./generated/server.js");\nimport Mine = weather.Handlers;\nconst h: Mine = { tools: {}, prompts: {} };',
    ],
    ["a choice", "const h: Handlers = x ? { tools: {}, prompts: {} } : { " + complete + " };"],
  ])("%s", (_, code) => {
    const { text, missing, findings } = sync(`${head}${code}\n`);
    expect(missing.map(({ name }) => name).sort()).toEqual(["forecast", "get_weather", "list-cities"]);
    expect(findings).toEqual([]);
    expect(sync(text).insertions).toEqual([]);
  });

  test("a name of another import, and a namespace", () => {
    const renamed =
      'import { type Handlers as Weather } from "./generated/server.js";\nconst h: Weather = {};\n';
    expect(sync(renamed).text).toContain('Weather.Answer<"prompts", "forecast">');
    const namespace =
      'import type * as weather from "./generated/server.js";\nconst h: weather.Handlers = {};\n';
    expect(sync(namespace).text).toContain('weather.Handlers.Answer<"prompts", "forecast">');
  });

  test.each([
    ["another Handlers", 'import type { Handlers } from "./other/server.js";\nconst h: Handlers = {};\n'],
    ["text that speaks of them", `${head}// const h: Handlers = {};\nconst s = "const h: Handlers = {}";\n`],
  ])("but not by %s", (_, text) => {
    expect(sync(text)).toMatchObject({ text, insertions: [], findings: [], anchored: [] });
  });

  test("inserted code uses an import type if the file has no other reference", () => {
    const { text } = sync('const t: import("./generated/server.js").Handlers["tools"] = {};\n');
    expect(text).toContain(
      'get_weather(args, context): Promise<import("./generated/server.js").Handlers.Answer<"tools", "get_weather">>',
    );
  });

  test.each([
    ["an annotation", "/** @type {import('./generated/server.js').Handlers} */\nexport const h = { ALL };"],
    ["satisfies", "export default /** @satisfies {import('./generated/server.js').Handlers} */ ({ ALL });"],
    [
      "a name",
      "/** @typedef {import('./generated/server.js').Handlers} H */\nconst h = /** @type {H} */ ({ ALL });",
    ],
    [
      "an import",
      "/** @import { Handlers } from './generated/server.js' */\n/** @type {Handlers} */\nlet h;\nh = { ALL };",
    ],
    [
      "a result",
      "/** @returns {import('./generated/server.js').Handlers} */\nfunction make() { return { ALL }; }",
    ],
    [
      "an argument",
      "import { createWeatherServer } from './generated/server.js';\ncreateWeatherServer({ ALL });",
    ],
  ])("JavaScript: %s in a comment; what is inserted is JavaScript", (_, code) => {
    const before = `${code.replace("ALL", "tools: {}, prompts: { forecast }")}\n`;
    const { text, missing, findings } = syncFile(before, "h.mjs", [weather]);
    expect(missing.map(({ name }) => name)).toEqual(["get_weather", "list-cities"]);
    expect(text).toContain("async get_weather(args, context) {\n");
    expect(findings).toEqual([]);
    expect(syncFile(text, "h.mjs", [weather])).toMatchObject({ insertions: [], findings: [] });
  });
});

test("several servers in one file are distinguished", () => {
  const other: SyncContract = {
    file: "mail.json",
    wanted: new Map([["resources", ["mail://inbox"]]]) as Wanted,
    lookIn: (specifier) => (specifier === "./mail/server.js" ? serverExports : noExports),
    anywhere: `import("./mail/server.js").Handlers`,
  };
  const before = `${head}import type { Handlers as Mail } from "./mail/server.js";\nconst a: Handlers = { ${complete} };\nconst b: Mail = {};\n`;
  const { text, missing } = sync(before, [weather, other]);
  expect(missing.map(({ contract, name }) => [contract, name])).toEqual([["mail.json", "mail://inbox"]]);
  expect(text).toContain(
    'async "mail://inbox"(uri, context): Promise<Mail.Answer<"resources", "mail://inbox">> {',
  );
});

describe("undetermined handlers are reported, and nothing is inserted", () => {
  test.each([
    [
      "a spread of tools",
      `tools: { ...base, get_weather }, prompts: { forecast }`,
      /"list-cities" is there: \.\.\.base/,
      2,
    ],
    [
      "a spread of sections",
      "tools: { get_weather, 'list-cities': x }, ...more",
      /"prompts" is there: \.\.\.more/,
      2,
    ],
    ["a computed key", "tools: { get_weather, [name]: f }, prompts: { forecast }", /\[name\] is computed/, 2],
    [
      "a call",
      "tools: makeTools(), prompts: { forecast }",
      /"get_weather", "list-cities" are there: it is computed/,
      2,
    ],
  ])("%s", (_, members, message, line) => {
    const { insertions, findings } = sync(`${head}const h: Handlers = { ${members} };\n`);
    expect(insertions).toEqual([]);
    expect(findings).toEqual([
      expect.objectContaining({
        code: "MG6503",
        severity: "warning",
        message: expect.stringMatching(message),
        place: expect.objectContaining({ line }),
      }),
    ]);
  });

  test.each([
    [
      "a member that is added later",
      "const h: Handlers = { tools: {} };\nh.prompts = { forecast };",
      ["prompts"],
    ],
    [
      "members that are added to a section",
      'const t: Handlers["tools"] = {};\nt["get_weather"] = f;',
      ["get_weather", "list-cities"],
    ],
    [
      "members that are added to a section through what holds it",
      "class A { #h = 1; h: Handlers = { prompts: { forecast } }; constructor() { this.h.tools = {}; } }",
      ["tools"],
    ],
    ["Object.assign", "const h: Handlers = {};\nObject.assign(h, more);", ["tools", "prompts"]],
  ])("%s", (_, code, names) => {
    const { text, findings } = sync(`${head}${code}\n`);
    const quoted = names.map((name) => JSON.stringify(name)).join(", ");
    expect(findings).toMatchObject([
      {
        code: "MG6503",
        message: expect.stringMatching(`determine whether ${quoted} .*adds to it at run time$`),
      },
    ]);
    expect(text).not.toContain(`Answer<"${names[0]}"`);
  });

  test("handlers of a type with optional members are reported with the place of that type", () => {
    const { insertions, findings, references } = sync(
      `${head}const h: Partial<Handlers["tools"]> = { get_weather, gone() {} };\n`,
    );
    expect([insertions, findings.map(({ code }) => code)]).toEqual([[], ["MG6502"]]);
    expect(references).toMatchObject([
      { section: "tools", finding: { message: expect.stringMatching(/"list-cities" is there: Partial/) } },
    ]);
  });

  test.each([
    "const double = { tools: {} } as unknown as Handlers;",
    'import { createWeatherServer } from "./generated/server.js";\ncreateWeatherServer({ tools: {} } as never);',
    "const h = <Handlers>(<any>{});",
  ])("handlers cast from any, unknown or never need not be complete: %s", (code) => {
    expect(sync(`${head}${code}\n`)).toMatchObject({
      insertions: [],
      findings: [],
      missing: [],
      anchored: [],
    });
  });

  test.each([
    ["a type with an unknown effect", "const h: Mine<Handlers> = { tools: {} };", 1],
    ["a module that cannot be read", 'import type { Handlers } from "unknown";\nconst h: Handlers = {};', 1],
    [
      "a module imported where code runs",
      'import("./generated/server.js").then((it) => it.createWeatherServer(h));',
      1,
    ],
  ])("%s is recorded as uncertain", (_, code, line) => {
    const doubtful: SyncContract = {
      ...weather,
      lookIn: (specifier) => (specifier === "unknown" ? unknownExports : weather.lookIn(specifier)),
    };
    const { traces, insertions } = sync(/^import.*;\n?/.test(code) ? code : head + code, [doubtful]);
    expect([insertions, traces.length, traces[0]?.finding.place?.line]).toEqual([[], 1, line]);
  });

  test("a class with a base", () => {
    const { insertions, findings } = sync(`${head}class A extends B implements Handlers {}\n`);
    expect([insertions, findings.map(({ code }) => code)]).toEqual([[], ["MG6503"]]);
  });

  test("a section imported from another file is recorded as a reference", () => {
    const { insertions, findings, references } = sync(
      `${head}import { tools } from "./tools.js";\nconst h: Handlers = { tools, prompts: { forecast } };\n`,
    );
    expect([insertions, findings]).toEqual([[], []]);
    expect(references).toMatchObject([{ section: "tools", contract: "weather.yaml" }]);
  });
});

test("handlers that the contract lacks are reported with their place, never removed", () => {
  const before = `${head}const h: Handlers = {\n  tools: { get_wether() {}, "list-cities"() {} },\n  prompts: { forecast },\n  resources: { "a:b": f },\n};\n`;
  const { text, findings } = sync(before);
  expect(text).toContain("get_wether() {},");
  expect(findings).toEqual([
    {
      code: "MG6502",
      severity: "error",
      message: 'weather.yaml has no tool "get_wether"',
      place: { file: "h.ts", line: 3, column: 12 },
      next: 'If "get_weather" is its new name, move the code there.',
    },
    expect.objectContaining({
      message: 'weather.yaml has no resource "a:b"',
      place: { file: "h.ts", line: 5, column: 16 },
    }),
  ]);
});

test("methods of a class that are typed as handlers are named, and public ones with a warning", () => {
  const before =
    head +
    `class T implements Handlers["tools"] {
  get_weather() {}
  "list-cities"() {}
  async gone(): Promise<Handlers.Answer<"tools", "gone">> { throw 1; }
  old(...[args]: Parameters<Handlers["tools"]["old"]>) {}
  open() {}
  log = () => {};
  count = 0;
  private own() {}
  protected ours() {}
  #hidden() {}
  static of() {}
}
`;
  const { text, findings } = sync(before);
  expect(text).toBe(before);
  expect(findings.map(({ severity, message, place }) => [severity, message, place?.line])).toEqual([
    ["error", 'weather.yaml has no tool "gone"', 5],
    ["error", 'weather.yaml has no tool "old"', 6],
    ["warning", 'weather.yaml has no tool "open"', 7],
    ["warning", 'weather.yaml has no tool "log"', 8],
  ]);
});

test("a file that does not parse is a finding, and untouched", () => {
  const before = `${head}const h: Handlers = { tools: { ;\n`;
  const { text, findings, insertions } = sync(before);
  expect([text, insertions]).toEqual([before, []]);
  expect(findings).toEqual([
    expect.objectContaining({ code: "MG6504", place: { file: "h.ts", line: 2, column: 32 } }),
  ]);
});

test("names that JavaScript treats specially are inserted like others", () => {
  const odd = ["__proto__", "constructor", "toString", "get", "async", 'a"b', "*/", "line\nend", "\u202egnp"];
  const contract: SyncContract = { ...weather, wanted: new Map([["tools", odd]]) as Wanted };
  for (const code of [
    "const h: Handlers = { tools: {} };",
    'type Tools = Handlers["tools"];\nclass T implements Tools {}',
  ]) {
    const { text, missing } = sync(`${head}${code}\n`, [contract]);
    expect(missing.map(({ name }) => name)).toEqual(odd);
    expect(text).not.toContain("\u202e");
    expect(sync(text, [contract])).toMatchObject({ insertions: [], findings: [], missing: [] });
  }
  expect(
    sync(`${head}const h: Handlers = { tools: { __proto__: base } };\n`, [contract]).missing.length,
  ).toBe(odd.length);
});
