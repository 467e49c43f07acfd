/** A mistake in a program: one text, which occurs once, is replaced by another. */
export interface Mistake {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** How a program writes the schemas of a tool, and the arguments of a prompt. */
export interface Flavour {
  readonly imports: string;
  readonly input: string;
  readonly output: string;
  readonly prompt: string;
  /** A replacement that renames the argument `city` of the tool's input. */
  readonly renamed: readonly [from: string, to: string];
}

/** Ways to write a server in code. */
export const flavours: { readonly [name: string]: Flavour } = {
  "JSON Schema": {
    imports: "",
    input: `{ type: "object", properties: { city: { type: "string" }, days: { type: "integer" } }, required: ["city"] }`,
    output: `{ type: "object", properties: { celsius: { type: "number" }, sky: { type: "string" } }, required: ["celsius", "sky"] }`,
    prompt: `[{ name: "city", required: true }, { name: "luggage" }]`,
    renamed: [
      `{ city: { type: "string" }, days: { type: "integer" } }, required: ["city"]`,
      `{ town: { type: "string" }, days: { type: "integer" } }, required: ["town"]`,
    ],
  },
  zod: {
    imports: `import { z } from "zod";`,
    input: `z.object({ city: z.string(), days: z.number().optional() })`,
    output: `z.object({ celsius: z.number(), sky: z.string() })`,
    prompt: `z.object({ city: z.string(), luggage: z.string().optional() })`,
    renamed: ["{ city: z.string(), days:", "{ town: z.string(), days:"],
  },
  valibot: {
    imports: `import { toStandardJsonSchema } from "@valibot/to-json-schema";\nimport * as v from "valibot";`,
    input: `toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number()) }))`,
    output: `toStandardJsonSchema(v.object({ celsius: v.number(), sky: v.string() }))`,
    prompt: `toStandardJsonSchema(v.object({ city: v.string(), luggage: v.optional(v.string()) }))`,
    renamed: ["{ city: v.string(), days:", "{ town: v.string(), days:"],
  },
  arktype: {
    imports: `import { type } from "arktype";`,
    input: `type({ city: "string", "days?": "number" })`,
    output: `type({ celsius: "number", sky: "string" })`,
    prompt: `type({ city: "string", "luggage?": "string" })`,
    renamed: [`{ city: "string", "days?":`, `{ town: "string", "days?":`],
  },
};

/** A server with nothing wrong in it. */
export function programOf({ imports, input, output, prompt }: Flavour): string {
  return `
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
${imports}
const server = createServer({ name: "weather", version: "1.0.0" }, { revisions: serverRevisions });

server.tool(
  "forecast",
  { description: "The weather to come.", inputSchema: ${input}, outputSchema: ${output} },
  (args) => {
    const celsius = args.days ?? 1;
    return { structuredContent: { celsius, sky: args.city } };
  },
);

server.tool("book", {}, async (_, { ask }) => {
  const answer = await ask.elicit("seat", {
    message: "Where do you sit?",
    requestedSchema: { type: "object", properties: { seat: { type: "string" } }, required: ["seat"] },
  });
  return answer.action === "accept" ? answer.content.seat.trim() : "nowhere";
});

server.resourceTemplate("weather://{city}/{day}", { complete: { day: () => ["monday"] } }, (variables) =>
  [variables.city, variables.day].join(),
);

server.prompt(
  "pack",
  { arguments: ${prompt}, complete: { luggage: () => ["bag"] } },
  (values) => \`Pack \${values.luggage ?? "nothing"} for \${values.city.trim()}.\`,
);
`;
}

/** The contract of that server. */
export const contract = {
  name: "trips",
  version: "1",
  capabilities: { completions: {} },
  tools: [
    {
      name: "forecast",
      inputSchema: {
        type: "object",
        properties: { city: { type: "string" }, days: { type: "integer" } },
        required: ["city"],
      },
      outputSchema: {
        type: "object",
        properties: { celsius: { type: "number" }, sky: { type: "string" } },
        required: ["celsius", "sky"],
      },
    },
    { name: "book", inputSchema: { type: "object" } },
  ],
  resourceTemplates: [{ name: "day", uriTemplate: "weather://{city}/{day}" }],
  prompts: [{ name: "pack", arguments: [{ name: "city", required: true }, { name: "luggage" }] }],
};

/** The contract as `renamed` has it: another argument. */
export const renamedContract = {
  ...contract,
  tools: [
    {
      ...contract.tools[0]!,
      inputSchema: {
        type: "object",
        properties: { town: { type: "string" }, days: { type: "integer" } },
        required: ["town"],
      },
    },
    contract.tools[1]!,
  ],
};

/** The handlers of the contract without mistakes, in the form of `sync`. */
export const contractProgram = `
import { type Handlers, createTripsServer } from "./out/server.js";

export const server = createTripsServer(
  {
    tools: {
      forecast: (args): Handlers.Answer<"tools", "forecast"> => {
        const celsius = args.days ?? 1;
        return { structuredContent: { celsius, sky: args.city } };
      },
      book: async (_, { ask }): Promise<Handlers.Answer<"tools", "book">> => {
        const answer = await ask.elicit("seat", {
          message: "Where do you sit?",
          requestedSchema: { type: "object", properties: { seat: { type: "string" } }, required: ["seat"] },
        });
        return answer.action === "accept" ? answer.content.seat.trim() : "nowhere";
      },
    },
    resourceTemplates: {
      "weather://{city}/{day}": (variables) => [variables.city, variables.day].join(),
    },
    prompts: { pack: (values) => \`Pack \${values.luggage ?? "nothing"} for \${values.city.trim()}.\` },
    completions: { pack: { city: () => [], luggage: () => ["bag"] }, "weather://{city}/{day}": { city: () => [], day: () => [] } },
  },
  { revisions: [], instructions: "Ask for a city." },
);
`;

/** The same mistakes in that program, but for the renamed schema, which is a separate contract. */
export function mistakesByContract(): readonly Mistake[] {
  return mistakesIn({ ...flavours["zod"]!, renamed: ["./out/server.js", "./renamed/server.js"] }).map(
    (mistake) =>
      mistake.name === "an option misspelt"
        ? { name: mistake.name, from: "{ revisions: [], instructions:", to: "{ revisions: [], instruction:" }
        : mistake.name === "a completer of an unknown argument"
          ? { name: mistake.name, from: "luggage: () =>", to: "lugage: () =>" }
          : mistake,
  );
}

/** The mistakes that users were seen to make, in a program of `programOf`. */
export function mistakesIn({ renamed: [from, to] }: Flavour): readonly Mistake[] {
  return [
    { name: "an argument that is not in the schema", from: "sky: args.city", to: "sky: args.town" },
    { name: "a field of the result of a wrong type", from: "{ celsius, sky", to: `{ celsius: "9", sky` },
    { name: "a field of the result missing", from: "{ celsius, sky: args.city }", to: "{ celsius }" },
    { name: "an argument of a prompt misspelt", from: "values.city", to: "values.ctiy" },
    { name: "a variable of a template misspelt", from: "variables.day", to: "variables.dya" },
    { name: "an answer of a form misspelt", from: "content.seat", to: "content.saet" },
    { name: "a completer of an unknown argument", from: "{ luggage: () =>", to: "{ lugage: () =>" },
    { name: "a handler that returns nothing", from: "return { structured", to: "void { structured" },
    { name: "a schema renamed, and the handler not", from, to },
    { name: "an option misspelt", from: "{ description:", to: "{ descripton:" },
    { name: "a field of the result too many", from: "sky: args.city }", to: "sky: args.city, wind: 3 }" },
  ];
}
