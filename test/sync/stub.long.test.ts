import { Project, ts } from "ts-morph";
import { expect, test } from "vitest";
import { type SyncContract } from "../../generator/sync/file-work.js";
import { handlersStub } from "../../generator/sync/stub.js";
import { noExports, serverExports } from "../../generator/sync/meanings.js";
import { syncFile } from "../../generator/sync/sync-file.js";
import type { Wanted } from "../../generator/sync/wanted.js";

/** A short form of the output for a contract. */
const server = `
type Answer<T> = { readonly structuredContent: T } | { readonly isError: true };
export interface Handlers {
  readonly tools: {
    readonly get_weather: (args: { readonly city: string }, context: { readonly signal: boolean }) =>
      Answer<{ readonly degrees: number }> | Promise<Answer<{ readonly degrees: number }>>;
    readonly "constructor": (args: {}, context: {}) => string | Promise<string>;
    readonly __proto__: (args: {}, context: {}) => string | Promise<string>;
  };
  readonly resources: { readonly "a:b": (uri: string, context: {}) => string | Promise<string> };
}
export declare namespace Handlers {
  export type Answer<List extends keyof Handlers, Name extends keyof Handlers[List]> =
    Handlers[List][Name] extends (...given: never) => infer Given ? Awaited<Given> : never;
}
export declare function createWeatherServer(handlers: Handlers, options: {}): void;
`;
const wanted = new Map([
  ["tools", ["get_weather", "constructor", "__proto__"]],
  ["resources", ["a:b"]],
]) as Wanted;
const contract: SyncContract = {
  file: "c.yaml",
  wanted,
  lookIn: (specifier) => (specifier === "./server.js" ? serverExports : noExports),
  anywhere: `import("./server.js").Handlers`,
};
const head = 'import { type Handlers, createWeatherServer } from "./server.js";\n';

/** The errors of the compiler, in strict mode, for files beside the generated module. */
function complaints(files: Readonly<Record<string, string>>): string[] {
  const project = new Project({
    useInMemoryFileSystem: true,
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes: true,
      noImplicitOverride: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      lib: ["lib.es2022.d.ts"],
      types: [],
    },
  });
  project.createSourceFile("server.ts", server);
  for (const [file, text] of Object.entries(files)) project.createSourceFile(file, text);
  return project
    .getPreEmitDiagnostics()
    .map((each) => `${each.getSourceFile()?.getBaseName()} TS${each.getCode()}`);
}

test("stubs compile at every place, and excess fields do not", () => {
  const synced = (code: string): string => syncFile(head + code, "h.ts", [contract]).text;
  const literal = synced("export const h: Handlers = { tools: {} };\n");
  const wrong = "return { structuredContent: { degrees: 1, more: 2 } };";
  const right = "return { structuredContent: { degrees: args.city.length + Number(context.signal) } };";
  const write = (body: string): string =>
    literal.replace('throw new Error("get_weather is not written yet");', body);
  expect(
    complaints({
      "literal.ts": literal,
      "satisfies.ts": synced("export const h = {} satisfies Handlers;\n"),
      "class.ts": synced("export class H implements Handlers { tools = {}; }\n"),
      "tools.ts": synced('type Tools = Handlers["tools"];\nexport class T implements Tools {}\n'),
      "untyped.ts": synced("const tools = {};\nconst h = { tools };\ncreateWeatherServer(h, {});\n"),
      "argument.ts": syncFile(
        'import { createWeatherServer } from "./server.js";\nconst h = {};\ncreateWeatherServer(h, {});\n',
        "h.ts",
        [contract],
      ).text,
      "import-type.ts": syncFile('export const h: import("./server.js").Handlers = {};\n', "h.ts", [contract])
        .text,
      "untyped-class.ts": syncFile(
        'export class T {}\ntype Server = import("./server.js").Handlers;\nexport class H implements Server {}\n',
        "h.ts",
        [contract],
      ).text,
      "later.ts": synced("export let h: Handlers;\nh = {};\n"),
      "whole.ts": handlersStub(wanted, "./server.js"),
      "right.ts": write(right),
      "wrong.ts": write(wrong),
    }),
  ).toEqual(["wrong.ts TS2353"]);
});
