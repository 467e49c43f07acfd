import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type CodeFirstServer, McpError, connect, createServer, defineServer } from "@mcpgen/runtime";
import { createTestPair } from "@mcpgen/testing";

const revisions = serverRevisions;
const info = { name: "s", version: "1" };

/** A server as in JavaScript programs, which no type restricts. */
interface Untyped {
  tool(...given: unknown[]): { update(changes: unknown): void };
  prompt(...given: unknown[]): { update(changes: unknown): void };
  resource(...given: unknown[]): { update(changes: unknown): void };
  resourceTemplate(...given: unknown[]): { update(changes: unknown): void };
}

function untyped(): Untyped {
  return createServer(info, { revisions }) as CodeFirstServer as unknown as Untyped;
}

/** The message of an error that the author has to fix. */
async function errorOf(act: () => unknown): Promise<string> {
  try {
    await act();
  } catch (error) {
    expect(error).toBeInstanceOf(McpError);
    expect(error).toMatchObject({ code: "invalid-definition" });
    return (error as McpError).message;
  }
  throw new Error("it was taken");
}

const give = (): string => "";

/** A category has a date and categories. */
const category = z.object({
  get under() {
    return z.array(category).optional();
  },
  since: z.date(),
});

const deepDates: readonly [name: string, schema: unknown, place: string][] = [
  [
    "a date two levels deep",
    z.object({ trip: z.object({ days: z.number(), start: z.date() }) }),
    "trip.start",
  ],
  [
    "a date in items of an optional list",
    z.object({ trips: z.array(z.object({ "left at": z.date().optional() })).optional() }),
    'trips[]["left at"]',
  ],
  ["a date in a record", z.object({ by: z.record(z.string(), z.tuple([z.string(), z.date()])) }), "by[][]"],
  [
    "a date in one alternative",
    z.object({ when: z.union([z.string(), z.object({ at: z.date() })]) }),
    "when.at",
  ],
  ["a date beside a recursion", z.object({ top: category }), "top.since"],
  [
    "a date of valibot two levels deep",
    toStandardJsonSchema(v.object({ trips: v.array(v.object({ start: v.optional(v.date()) })) })),
    "trips[].start",
  ],
];

describe("schemas", () => {
  test.each<[string, unknown, string]>([
    [
      "valibot without JSON Schema",
      v.object({ a: v.string() }),
      'tool "t": inputSchema: the schema of valibot has no JSON Schema. Wrap it by toStandardJsonSchema(…) of the package @valibot/to-json-schema, or pass JSON Schema.',
    ],
    [
      "a date of zod",
      z.object({ a: z.string(), when: z.date() }),
      'tool "t": inputSchema, member when: zod cannot write it as JSON Schema: Date cannot be represented in JSON Schema. Describe the JSON that arrives, such as a text in place of a date, and transform it in the schema, or pass JSON Schema.',
    ],
    [
      "a date of valibot",
      toStandardJsonSchema(v.object({ when: v.date() })),
      'tool "t": inputSchema, member when: valibot cannot write it as JSON Schema: The "date" schema cannot be converted',
    ],
    ...deepDates.map(
      ([name, schema, place]) =>
        [name, schema, `tool "t": inputSchema, member ${place}: `] as [string, unknown, string],
    ),
    [
      "a shape of zod",
      { a: z.string() },
      'tool "t": inputSchema: expected a schema, got an object whose members are schemas of zod. Make an object schema of it, such as z.object({ … }).',
    ],
    ["a shape of valibot", { a: v.string() }, "such as toStandardJsonSchema(v.object({ … }))."],
    ["a shape of arktype", { a: type("string") }, "such as type({ … })."],
    ["a text", z.string(), 'inputSchema: expected "type": "object" at the root, got "string".'],
    ["a library without JSON Schema", foreign(), "the schema of tiny has no JSON Schema. Use a version that"],
    ["no schema", "object", "inputSchema: expected a JSON Schema object"],
  ])("%s", async (_, inputSchema, message) => {
    expect(await errorOf(() => untyped().tool("t", { inputSchema }, give))).toContain(message);
    const { update } = untyped().tool("t", {}, give);
    expect(await errorOf(() => update({ inputSchema }))).toContain(message);
    const inPrompt = message.replace('tool "t": inputSchema', 'prompt "p": arguments');
    if (typeof inputSchema === "object" && message.startsWith("tool"))
      expect(await errorOf(() => untyped().prompt("p", { arguments: inputSchema }, give))).toContain(
        inPrompt,
      );
  });

  test("a transformation without a schema of its result", async () => {
    const outputSchema = z.object({ size: z.string().transform((text) => text.length) });
    expect(await errorOf(() => untyped().tool("t", { outputSchema }, give))).toBe(
      'tool "t": outputSchema, member size: zod cannot write it as JSON Schema: Transforms cannot be represented in JSON Schema. End a transformation with a schema of the JSON that it makes, such as a text in place of a date, or pass JSON Schema.',
    );
    const piped = toStandardJsonSchema(
      v.object({
        size: v.pipe(
          v.string(),
          v.transform((text) => text.length),
        ),
      }),
    );
    expect(await errorOf(() => untyped().tool("t", { outputSchema: piped }, give))).toContain(
      'outputSchema, member size: valibot cannot write it as JSON Schema: The "transform"',
    );
  });
});

function foreign(): unknown {
  return { "~standard": { version: 1, vendor: "tiny", validate: (value: unknown) => ({ value }) } };
}

describe("the argument between the name and the handler", () => {
  test.each<[string, () => unknown, string]>([
    [
      "schemas of single arguments in the place of a tool's options",
      () => untyped().tool("t", { a: z.string(), b: z.number() }, give),
      'tool "t": a: expected no schema beside the options. Write the arguments as one object schema: inputSchema.',
    ],
    [
      "schemas of single arguments in the place of a prompt's options",
      () => untyped().prompt("p", { description: "x", a: type("string") }, give),
      'prompt "p": a: expected no schema beside the options. Write the arguments as one object schema: arguments.',
    ],
    [
      "no options of a tool",
      () => untyped().tool("t", give),
      'tool "t": expected an object with its options, got a function: options stand between what names it and the handler; write {} for none.',
    ],
    ["a description", () => untyped().tool("t", "Says.", {}, give), "got a string: options stand"],
    ["nothing", () => untyped().tool("t", undefined, give), "got nothing: options stand"],
    ["a schema", () => untyped().tool("t", z.object({}), give), "got a schema: options stand"],
    ["no options of a prompt", () => untyped().prompt("p", give), 'prompt "p": expected an object with'],
    ["no options of a resource", () => untyped().resource("x://a", give), 'resource "x://a": expected an'],
    ["no options of a template", () => untyped().resourceTemplate("x://{a}", give), 'template "x://{a}": ex'],
    ["no handler of a tool", () => untyped().tool("t", {}), 'tool "t": there is no handler.'],
    ["no handler of a prompt", () => untyped().prompt("p", {}), 'prompt "p": there is no handler.'],
    ["no handler of a resource", () => untyped().resource("x://a", {}), "there is no handler."],
    ["no handler of a template", () => untyped().resourceTemplate("x://{a}", {}), "there is no handler."],
    ["no name", () => untyped().tool({ name: "t" }, {}, give), 'tools: expected a name, got {"name":"t"}.'],
  ])("%s", async (_, act, message) => {
    expect(await errorOf(act)).toContain(message);
  });
});

describe("the key of a registration", () => {
  test.each<[string, () => unknown, string]>([
    [
      "a tool",
      () => untyped().tool("t", { name: "u" }, give),
      'tools: "t": its definition has another name, "u". Leave name out.',
    ],
    [
      "a prompt",
      () => untyped().prompt("p", { name: "u" }, give),
      'prompts: "p": its definition has another',
    ],
    [
      "a resource",
      () => untyped().resource("x://a", { uri: "x://b" }, give),
      'resources: "x://a": its definition has another uri, "x://b". Leave uri out.',
    ],
    [
      "a template",
      () => untyped().resourceTemplate("x://{a}", { uriTemplate: "x://{b}" }, give),
      "has another uriTemplate",
    ],
  ])("is matched literally: %s", async (_, act, message) => {
    expect(await errorOf(act)).toContain(message);
  });

  test("a resource and a template that had no name may get one", () => {
    untyped().resource("x://a", {}, give).update({ name: "A" });
    untyped().resourceTemplate("x://{a}", {}, give).update({ name: "A" });
  });
});

describe("unknown members of definitions", () => {
  const misspelt: [string, () => unknown, string][] = [
    [
      "of a tool",
      () => untyped().tool("t", { descripton: "x" }, give),
      'tool "t": descripton: there is no such member. Did you mean description?',
    ],
    [
      "of annotations",
      () => untyped().tool("t", { annotations: { readonlyHints: true } }, give),
      'tool "t": annotations.readonlyHints: there is no such member. Did you mean readOnlyHint?',
    ],
    [
      "of an icon",
      () => untyped().tool("t", { icons: [{ src: "data:", mimetypes: "x" }] }, give),
      'tool "t": icons[0].mimetypes: there is no such member. Did you mean mimeType?',
    ],
    [
      "of a prompt",
      () => untyped().prompt("p", { argsSchema: { a: z.string() } }, give),
      'prompt "p": argsSchema: there is no such member. There are',
    ],
    [
      "of an argument",
      () => untyped().prompt("p", { arguments: [{ name: "a", require: true }] }, give),
      'prompt "p": arguments[0].require: there is no such member. Did you mean required?',
    ],
    [
      "of a resource",
      () => untyped().resource("x://a", { mimetype_: "x" }, give),
      'resource "x://a": mimetype_: there is no such member. Did you mean mimeType?',
    ],
    [
      "of a template",
      () => untyped().resourceTemplate("x://{a}", { completes: {} }, give),
      'template "x://{a}": completes: there is no such member. Did you mean complete?',
    ],
    ["of a change", () => untyped().tool("t", {}, give).update({ tittle: "T" }), "Did you mean title?"],
  ];

  test.each(misspelt)("%s", async (_, act, message) => {
    expect(await errorOf(act)).toContain(message);
  });

  test("members with any content are not checked", () => {
    untyped().tool("t", { _meta: { "example.com/any": 1 }, inputSchema: { type: "object", "x-y": 1 } }, give);
  });
});

describe("misspelt options", () => {
  const checks = {};
  const contract = { name: "c", version: "1" };
  const all = clientRevisions;
  const make = (...given: unknown[]): unknown => (createServer as (...given: unknown[]) => unknown)(...given);
  const reach = (...given: unknown[]): unknown => (connect as (...given: unknown[]) => unknown)(...given);

  test.each<[string, () => unknown, string]>([
    [
      "of a server",
      () => make(info, { revisions, instruction: "" }),
      "instruction: there is no such option. Did you mean instructions?",
    ],
    [
      "within them",
      () => make(info, { revisions, timeouts: { timout: 1 } }),
      "timeouts.timout: there is no such option. Did you mean timeout?",
    ],
    [
      "of a wrong type",
      () => make(info, { revisions, onEvent: "x" }),
      'onEvent: expected a function, got "x".',
    ],
    [
      "of another word",
      () => make(info, { revisions, wrongArguments: "no" }),
      'wrongArguments: expected error or result, got "no".',
    ],
    ["none at all", () => make(info), "options: expected { revisions: serverRevisions }"],
    ["none of revisions", () => make(info, {}), "options: expected { revisions: serverRevisions }"],
    ["no info", () => make({ revisions }), "info: expected { name:"],
    [
      "of a server of a contract",
      () => defineServer(contract, {}, { revisions, checks, timeout: {} } as never),
      "timeout: there is no such option. Did you mean timeouts?",
    ],
    [
      "of a client",
      () => reach("http://localhost", { revisions: all, elicits: give }),
      "elicits: there is no such option. Did you mean elicit?",
    ],
    [
      "of a log level",
      () => reach("http://localhost", { revisions: all, logLevel: "trace" }),
      "logLevel: expected debug or info",
    ],
    [
      "of its capabilities",
      () => reach("http://localhost", { revisions: all, capabilities: { experimentl: {} } }),
      "capabilities.experimentl: there is no such option. Did you mean experimental?",
    ],
    [
      "of its description",
      () => reach("http://localhost", { revisions: all, info: { nam: "x", version: "1" } }),
      'info: expected { name: "…", version: "…" }.',
    ],
    [
      "of its way",
      () => reach("http://localhost", { revisions: all, http: { header: {} } }),
      "http.header: there is no such option. Did you mean headers?",
    ],
    [
      "no options of a client",
      () => reach("http://localhost"),
      "options: expected { revisions: clientRevisions }",
    ],
    [
      "of a program",
      () => reach({ command: "node", arg: [] }, { revisions: all }),
      "source.arg: there is no such option. Did you mean args?",
    ],
    ["no source", () => reach(undefined, { revisions: all }), "source: expected a URL,"],
  ])("%s", async (_, act, message) => {
    expect(await errorOf(act)).toContain(message);
  });
});

describe("the info and capabilities of a server", () => {
  const make = (own: object, capabilities: object): unknown =>
    createServer({ ...info, ...own }, { revisions, capabilities: capabilities as never });

  test.each<[string, object, object, string]>([
    ["of the info", { titel: "S" }, {}, "info.titel: there is no such member. Did you mean title?"],
    [
      "in another case",
      { websiteURL: "https://x.test" },
      {},
      "info.websiteURL: there is no such member. Did you mean",
    ],
    ["cut short", { website: "https://x.test" }, {}, "Did you mean websiteUrl?"],
    ["in the singular", { icon: [] }, {}, "info.icon: there is no such member. Did you mean icons?"],
    [
      "of an icon",
      { icons: [{ source: "x", mimetype: "y" }] },
      {},
      "info.icons[0].mimetype: there is no such",
    ],
    [
      "of the capabilities",
      {},
      { loging: {} },
      "capabilities.loging: there is no such member. Did you mean logging?",
    ],
    [
      "with an open value",
      {},
      { extension: {} },
      "capabilities.extension: there is no such member. Did you mean",
    ],
    [
      "of one capability",
      {},
      { resources: { subcribe: true } },
      "capabilities.resources.subcribe: there is no such member. Did you mean subscribe?",
    ],
    ["of another", {}, { tools: { listchange: true } }, "Did you mean listChanged?"],
  ])("are refused if they are misspelt: %s", async (_, own, capabilities, message) => {
    expect(await errorOf(() => make(own, capabilities))).toContain(message);
  });

  test("may have members of future revisions, or of the author's choice", async () => {
    const own = { _meta: { titel: 1 }, vendor: "x", home: "https://x.test", description: "d", time: 1 };
    const capabilities = {
      tasks: { requests: { tools: { call: {} } } },
      experimental: { titel: {}, tool: {} },
      extensions: { "example.com/loging": { listChange: 1 } },
      logging: { levl: 1 },
      streams: {},
    };
    const server = make(own, capabilities) as CodeFirstServer;
    const { client, close } = await createTestPair({
      server,
      revisions: clientRevisions,
      revision: "2026-07-28",
    });
    expect(client.serverInfo).toEqual({ ...info, ...own });
    expect(client.serverCapabilities).toEqual(capabilities);
    await close();
  });
});
