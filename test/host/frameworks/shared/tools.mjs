// The tools of all three servers, as data: each implementation lists the same schemas, and answers by the same handlers.
import { appendFileSync, existsSync } from "node:fs";
import { until } from "../../../support/until.mjs";

const string = { type: "string" };
const taking = (properties, rest = {}) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  ...rest,
});
const text = (value) => ({ content: [{ type: "text", text: value }] });

/** The question of the tool `greet`. */
export const nameForm = { message: "Who are you?", requestedSchema: taking({ name: string }) };

/** How many reports of progress the tool `count` sends. */
export const steps = 3;

/**
 * `{ name, description, inputSchema, outputSchema, example, shows, call }`: `example` are arguments, and `shows` are the
 * texts that must reach the model. `call(args, context)` gets `{ signal, progress(n), answer }`; `answer` is the user's
 * answer to `nameForm`, or a function that asks for it.
 */
export const tools = [
  {
    name: "echo",
    description: "Says it again.",
    inputSchema: taking({ message: string }),
    example: { message: "ünïcödé" },
    shows: ["said ünïcödé"],
    call: ({ message }) => text(`said ${message}`),
  },
  {
    name: "now",
    description: "Takes nothing.",
    inputSchema: { type: "object", properties: {} },
    example: {},
    shows: ["always"],
    call: () => text("always"),
  },
  {
    name: "odd.name-1",
    description: "Has a name that some models do not take.",
    inputSchema: taking({ message: string }),
    example: { message: "dots" },
    shows: ["odd dots"],
    call: ({ message }) => text(`odd ${message}`),
  },
  {
    name: "plan",
    description: "Plans a trip.",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        city: { ...string, minLength: 2, description: "Where to." },
        days: { type: "integer", minimum: 1, maximum: 30, default: 3 },
        kind: { enum: ["train", "plane"] },
        note: { type: ["string", "null"] },
        at: { ...string, format: "date" },
        stops: { type: "array", items: { $ref: "#/$defs/stop" }, maxItems: 5 },
      },
      required: ["city", "kind"],
      additionalProperties: false,
      $defs: { stop: taking({ name: string }, { additionalProperties: false }) },
    },
    example: {
      city: "Rome",
      days: 2,
      kind: "train",
      note: null,
      at: "2026-12-24",
      stops: [{ name: "Milan" }],
    },
    shows: ["Rome by train via Milan"],
    call: ({ city, kind, stops = [] }) =>
      text(`${city} by ${kind} via ${stops.map(({ name }) => name).join()}`),
  },
  {
    name: "either",
    description: "Takes one of two forms.",
    inputSchema: taking(
      { target: { anyOf: [{ $ref: "#/$defs/byId" }, { $ref: "#/$defs/byName" }] } },
      { $defs: { byId: taking({ id: { type: "integer" } }), byName: taking({ name: string }) } },
    ),
    example: { target: { name: "Ada" } },
    shows: ["found Ada"],
    call: ({ target }) => text(`found ${target.name ?? target.id}`),
  },
  {
    name: "tree",
    description: "Counts the leaves of a tree.",
    inputSchema: taking(
      { root: { $ref: "#/$defs/node" } },
      {
        $defs: {
          node: {
            type: "object",
            properties: { name: string, children: { type: "array", items: { $ref: "#/$defs/node" } } },
            required: ["name"],
          },
        },
      },
    ),
    example: { root: { name: "a", children: [{ name: "b" }, { name: "c" }] } },
    shows: ["2 leaves"],
    call: ({ root }) => text(`${leaves(root)} leaves`),
  },
  {
    name: "picture",
    description: "Answers with a picture.",
    inputSchema: { type: "object", properties: {} },
    example: {},
    shows: ["a dot", "iVBORw0KGgo"],
    call: () => ({
      content: [
        { type: "text", text: "a dot" },
        { type: "image", data: dot, mimeType: "image/png" },
      ],
    }),
  },
  {
    name: "link",
    description: "Answers with a link to a resource.",
    inputSchema: { type: "object", properties: {} },
    example: {},
    shows: ["see this", "test://note"],
    call: () => ({
      content: [
        { type: "text", text: "see this" },
        { type: "resource_link", uri: "test://note", name: "note", mimeType: "text/plain" },
      ],
    }),
  },
  {
    name: "fail",
    description: "Fails.",
    inputSchema: { type: "object", properties: {} },
    example: {},
    shows: ["no such city"],
    call: () => ({ ...text("no such city"), isError: true }),
  },
  {
    name: "add",
    description: "Adds two numbers.",
    inputSchema: taking({ a: { type: "number" }, b: { type: "number" } }),
    outputSchema: taking({ sum: { type: "number" } }),
    example: { a: 1200, b: 34 },
    shows: ["1234"],
    // The number stands in the structured content alone, so that a host which drops that is seen.
    call: ({ a, b }) => ({ ...text("see the sum"), structuredContent: { sum: a + b } }),
  },
  {
    name: "greet",
    description: "Asks the user for a name.",
    inputSchema: { type: "object", properties: {} },
    asks: true,
    example: {},
    shows: ["hello Ada"],
    call: (_, { answer: { action, content } }) =>
      text(action === "accept" ? `hello ${content.name}` : action),
  },
  {
    name: "count",
    description: "Reports progress.",
    inputSchema: { type: "object", properties: {} },
    example: {},
    shows: ["counted"],
    async call(_, { progress }) {
      for (let step = 1; step <= steps; step++) await progress(step);
      // Clients of the official SDK drop reports that arrive together with the answer.
      await until("the reports were read", () => existsSync(`${journal}.counted`));
      return text("counted");
    },
  },
  {
    name: "wait",
    description: "Waits until it is cancelled.",
    inputSchema: { type: "object", properties: {} },
    example: {},
    shows: [],
    async call(_, { signal }) {
      note("begun");
      await new Promise((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener("abort", resolve);
      });
      note("cancelled");
      return text("cancelled");
    },
  },
];

/** A picture of one pixel. */
const dot =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const journal = process.env.FRAMEWORKS_JOURNAL;

/** Notes what happened in a server: what a host passes on does not count. */
export function note(line) {
  appendFileSync(journal, `${line}\n`);
}

function leaves({ children = [] }) {
  return children.length === 0 ? 1 : children.reduce((sum, child) => sum + leaves(child), 0);
}
