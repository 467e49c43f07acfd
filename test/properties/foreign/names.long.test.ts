import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { type JsonObject, readDocument } from "@mcpgen/engine";
import { capitalised, nameDefinitions } from "../../../generator/print/text.js";
import { preludeNames } from "../../../generator/targets/typescript/validators/prelude.js";
import { generateFiles } from "../../../generator/pipeline/generate.js";
import { type Random, randomFrom } from "../../../generator/sample/values.js";
import { cases, seed } from "../../support/cases.mjs";
import { writeModules } from "../../support/emitted-explanations.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { compilerErrors } from "../../support/typescript-compiler.js";
import {
  type Outcome,
  type Tool,
  contractOutput,
  protocolOutput,
  randomProtocol,
  randomTool,
} from "./output.js";

// If a schema uses any word of the output as a name of a definition, a member, a message, a tool or a prompt, its
// output still compiles.

/** Words with a meaning in TypeScript or emitted code without a declaration. */
const globals =
  "Array ArrayLike Awaited BigInt Boolean Date Error Exclude Extract Function Generator Infinity Iterator JSON Map Math NaN " +
  "NonNullable Number Object Omit Partial Pick Promise Readonly ReadonlyArray ReadonlyMap ReadonlySet Record RegExp Required " +
  "Set String Symbol URL Uint8Array WeakMap globalThis process undefined";

/** Words of the language, and names that differ in their case alone. */
const reserved =
  "abstract any arguments as async await bigint boolean break case catch class const continue debugger declare default delete " +
  "do else enum eval export extends false finally for from function get if implements import in infer instanceof interface is " +
  "keyof let module namespace never new null number object of package private protected public readonly return satisfies set " +
  "static string super switch symbol this throw true try type typeof unique unknown using var void while with yield " +
  "FOO fOo isfoo IsFoo ISFOO AcceptsFoo openFoo constructor hasOwnProperty toString then";

/** Names that the output derives from a definition's name, and names that other generators derive. */
function derived(name: string): readonly string[] {
  const word = capitalised(name);
  const functions = ["is", "accepts", "explain", "check", "parse", "assert"].map((prefix) => prefix + word);
  const parts = ["_deep", "_stepwise", "_part", "_rest1", "2"];
  const values = functions.slice(0, 2).flatMap((each) => parts.map((part) => each + part));
  const constants = [`pattern${word}_1`, `values${word}_1`, `Type${word}`, `type${word}`];
  return [...functions, ...values, ...constants, `Open${word}`, `${name}Schema`, `${name}_`, `${name}2`];
}

/** Declared names, with the words before them, and lists of imported names. */
const declarations =
  /\b(?:as|class|const|function\*?|interface|let|type)\s+[A-Za-z_$][\w$]*|\bimport\b[^;]*/g;

/**
 * The names that the output of some schemas declares (with `isWhole`, all its words), and other names that it may
 * declare.
 */
async function wordsOfOutput(isWhole = true): Promise<readonly string[]> {
  const outcomes = [
    await protocolOutput("R", randomProtocol(0)),
    await contractOutput("C", [randomTool(0), randomTool(1)], offers(randomFrom("offers"), ["a", "b", "c"])),
    await revisionsOutput("S", ["Bar"]),
  ];
  const texts = filesOf(outcomes).map(([, text]) =>
    text.replace(/\/\*[^]*?\*\/|\/\/.*|"(?:[^"\\]|\\.)*"/g, " "),
  );
  const parts = isWhole ? texts : texts.flatMap((text) => text.match(declarations) ?? []);
  const words = parts.flatMap((text) => text.match(/[A-Za-z_$][\w$]*/g) ?? []);
  return [
    ...new Set([
      ...`${globals} ${reserved}`.split(" "),
      ...preludeNames,
      ...words,
      ...derived("Foo"),
      ...derived("foo"),
    ]),
  ];
}

/** The offer of a contract beside tools. */
function offers(random: Random, words: readonly string[]): JsonObject {
  const [prompt, resource, template] = [random.pick(words), random.pick(words), random.pick(words)];
  return {
    prompts: [{ name: prompt, arguments: [{ name: random.pick(words) }] }],
    resources: [{ name: resource, uri: "note://one" }],
    resourceTemplates: [{ name: template, uriTemplate: "note://{id}" }],
  };
}

function filesOf(outcomes: readonly Outcome[]): (readonly [string, string])[] {
  expect(outcomes.flatMap(({ crash = [], refusal = [] }) => [crash, refusal].flat())).toEqual([]);
  return outcomes.flatMap(({ files }) => [...files]);
}

const reference = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });

/** Definitions with these names. Each uses the first, which makes private functions and constants. */
function definitionsOf(names: readonly string[]): Record<string, JsonObject> {
  const all = ["Foo", ...names.filter((name) => name !== "Foo")];
  const foo = {
    anyOf: [
      { properties: { b: { pattern: "^a" } }, required: ["b"] },
      { properties: { c: { enum: codes } } },
    ],
    properties: { id: { const: 0 }, next: reference("Foo") },
    unevaluatedProperties: { type: "string", pattern: "^b" },
  };
  return Object.fromEntries(
    all.map((name, index) => [
      name,
      {
        type: "object",
        ...(index === 0
          ? foo
          : {
              properties: { id: { const: index }, a: { type: "string", minLength: 1 }, b: reference("Foo") },
            }),
      },
    ]),
  );
}

const codes = Array.from({ length: 40 }, (_, index) => `code ${index}`);

/** A protocol of messages and definitions. @param starts of the names of the definitions of each message */
function protocolOf(
  starts: readonly string[],
  definitions: Readonly<Record<string, JsonObject>>,
): JsonObject {
  const used = Object.keys(definitions).map(reference);
  const anything = used.length > 0 ? { anyOf: used } : { type: "string" };
  const message = (method: string, id: object, required: readonly string[]): JsonObject => ({
    type: "object",
    properties: {
      ...{ jsonrpc: { const: "2.0" }, ...id, method: { type: "string", const: method } },
      params: { type: "object", properties: { a: anything } },
    },
    required: ["jsonrpc", "method", ...required],
  });
  const id = { id: { type: ["string", "integer"] } };
  const messages = starts.flatMap((start, index) => [
    [`${start}Request`, message(`m${index}/ask`, id, ["id"])],
    [`${start}Notification`, message(`notifications/m${index}`, {}, [])],
    [`${start}Result`, { type: "object", properties: { [`r${index}`]: anything }, required: [`r${index}`] }],
  ]);
  const union = (end: string): JsonObject => ({ anyOf: starts.map((start) => reference(start + end)) });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $defs: {
      ...definitions,
      ...(Object.fromEntries(messages) as JsonObject),
      ClientRequest: union("Request"),
      ClientNotification: union("Notification"),
      ServerResult: union("Result"),
    },
  };
}

/** The output of two revisions, with the steps between them. */
async function revisionsOutput(folder: string, names: readonly string[]): Promise<Outcome> {
  const older = definitionsOf(names);
  const newer = Object.fromEntries(
    Object.entries(older).map(([name, definition]) => {
      const { properties, ...rest } = definition as { readonly properties: JsonObject };
      return [name, { ...rest, properties: { ...properties, added: { type: "string" } } }];
    }),
  );
  const values = new Map([
    ["2001-01-01", protocolOf(["Call"], older)],
    ["2002-02-02", protocolOf(["Call"], newer)],
  ]);
  const sources = [...values].map(([revision, value]) => {
    const schemaFile = `${revision}.json`;
    const read = { schema: { file: schemaFile, text: JSON.stringify(value), value } };
    return { revision, status: "released" as const, schemaFile, read };
  });
  const { files } = await generateFiles({ sources, schemaDir: "no-such-folder", importExtension: "js" });
  const modules = [...files].filter(([path]) => path.endsWith(".ts"));
  return { files: new Map(modules.map(([path, text]) => [`${folder}/${path}`, text])) };
}

/** A tool whose definitions and arguments have these names. */
const toolOf = (name: string, names: readonly string[]): Tool => ({
  name,
  inputSchema: {
    type: "object",
    properties: Object.fromEntries(names.map((each) => [each, reference(each)])),
    $defs: definitionsOf(names),
  },
  outputSchema: { ...reference("Foo"), type: "object", $defs: definitionsOf(names) },
});

const ordinary = { type: "object", properties: { a: { type: "string" } } };

/** Every place of a name, and the output of schemas with these words at this place. */
const places: readonly (readonly [string, (folder: string, words: readonly string[]) => Promise<Outcome>])[] =
  [
    [
      "definition of a protocol",
      (folder, words) => protocolOutput(folder, protocolOf(["Call"], definitionsOf(words))),
    ],
    ["definition of two revisions", revisionsOutput],
    [
      "message of a protocol",
      (folder, words) => {
        const starts = words.map(capitalised).filter((word) => !/^(?:Client|Server)$/.test(word));
        return protocolOutput(folder, protocolOf([...new Set(starts)], {}));
      },
    ],
    ["definition of a tool", (folder, words) => contractOutput(folder, [toolOf("ask", words)])],
    [
      "tool, and its argument",
      (folder, words) =>
        contractOutput(
          folder,
          words.map((name) => ({ name, inputSchema: { type: "object", properties: { [name]: ordinary } } })),
        ),
    ],
    [
      "prompt and its argument, resource, and template",
      (folder, words) =>
        contractOutput(folder, [], {
          prompts: words.map((name) => ({ name, arguments: [{ name }] })),
          resources: words.map((name) => ({ name, uri: `note://${encodeURIComponent(name)}` })),
          resourceTemplates: words.map((name) => ({
            name,
            uriTemplate: `of://${encodeURIComponent(name)}/{id}`,
          })),
        }),
    ],
  ];

test.each(places)("each word of the output may be the name of a %s", async (_, output) => {
  const words = await wordsOfOutput(false);
  const outcomes: Outcome[] = [];
  const atOnce = 100;
  for (let from = 0; from < words.length; from += atOnce)
    outcomes.push(await output(`W${from}`, words.slice(from, from + atOnce)));
  expect(await compilerErrors(new Map(filesOf(outcomes)), ["node"])).toEqual([]);
});

test("a definition of each such name is validated and explained under that name", async () => {
  const definitions = definitionsOf(await wordsOfOutput(false));
  const protocol = protocolOf(["Call"], definitions);
  const folder = temporaryFolder();
  writeModules(folder, filesOf([await protocolOutput("W", protocol)]));
  const load = (module: string) =>
    import(/* @vite-ignore */ pathToFileURL(join(folder, `W/${module}.js`)).href) as Promise<
      Record<string, (value: unknown) => unknown>
    >;
  const [validators, explanations] = [await load("validators"), await load("explain")];
  const identifiers = nameDefinitions(readDocument(protocol));
  const verdicts = [...Object.keys(definitions).entries()]
    // Messages have some of the names.
    .filter(([, name]) => (protocol["$defs"] as JsonObject)[name] === definitions[name])
    .map(([index, name]) => {
      const word = capitalised(identifiers.get(name)!);
      const [is, explain] = [validators[`is${word}`]!, explanations[`explain${word}`]!];
      return [name, is({ id: index }), is({ id: index + 1 }), explain({ id: index + 1 })];
    });
  expect(verdicts.length).toBeGreaterThan(500);
  const wrong = { pointer: "/id" };
  expect(verdicts).toMatchObject(verdicts.map(([name]) => [name, true, false, [wrong]]));
});

/** Schemas, half of them of protocols and half of contracts; each has a dozen definitions. */
const count = cases(500, 16);
const batch = 100;

test.each(Array.from({ length: Math.ceil(count / batch) }, (_, index) => index * batch))(
  "schemas from number %i on compile",
  async (from) => {
    const words = await wordsOfOutput();
    // The unions of all messages are called ClientRequest and ServerResult.
    const messages = words.filter((word) => !/^(?:client|server)$/i.test(word));
    const outcomes: Outcome[] = [];
    for (let index = from; index < Math.min(from + batch, count); index++) {
      const random = randomFrom(`${seed}: names ${index}`);
      const some = (length: number): string[] => [
        ...new Set(Array.from({ length }, () => random.pick(words))),
      ];
      // The names of messages and their identifying member are not used for other definitions and members.
      const vocabulary = {
        definitions: some(12).filter((name) => !/.(?:Request|Result|Notification)$/.test(name)),
        members: some(12).filter((name) => name !== "method"),
      };
      if (index % 2 === 0)
        outcomes.push(
          await protocolOutput(
            `R${index}`,
            randomProtocol(index, { vocabulary, message: capitalised(random.pick(messages)) }),
          ),
        );
      else {
        const tools = some(6).map((name, at) => randomTool(10 * index + at, vocabulary, name));
        const more = { ...offers(random, words), name: random.pick(words) };
        outcomes.push(await contractOutput(`C${index}`, tools, more));
      }
    }
    expect(await compilerErrors(new Map(filesOf(outcomes)), ["node"])).toEqual([]);
  },
);
