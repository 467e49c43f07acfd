import {
  type JsonObject,
  type JsonValue,
  type SchemaNode,
  atPointer,
  editDistance,
  isJsonObject,
  pointer,
} from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { closest } from "../diagnostics/suggest.js";
import {
  type Fault as FileFault,
  type Form,
  type FormCodes,
  FileForm,
  didYouMean,
} from "../files/file-form.js";
import { identities, tooDeep, mostLevels } from "./contract.js";

/** The fault of a value that is no contract. */
interface Fault extends FileFault {
  /** For a duplicate name: the place of the first. */
  readonly first?: string;
  /** A text is expected where a number or a truth value is: in YAML, quotes may be all that is missing. */
  readonly lacksQuotes?: boolean;
}

/** The codes of faults of contracts, and of members that extensions describe. */
export const contractCodes: FormCodes = { unknownKey: "MG6002", wrongValue: "MG6003" };

/** What keeps `value` from being a contract, if something does. */
export function contractFault(value: JsonValue): Fault | undefined {
  return contractFaults(value)[0];
}

/** The faults of `value` as a contract: violations of the contract's schema, misspelt keys, and duplicate names. */
export function contractFaults(value: JsonValue): Fault[] {
  const deep = tooDeep(value);
  if (deep !== undefined) {
    const message = `expected at most ${mostLevels} nested levels, got more`;
    return [{ code: contractCodes.wrongValue, pointer: deep, message, next: "Make it flatter." }];
  }
  const { form } = contractForm;
  return [...faultsWithSlips(form, form.schema.root!, value), ...duplicateNameFaults(value)];
}

/**
 * The violations of a schema, and misspelt keys of objects that may have more keys than the schema describes: which of these
 * are meant, a schema cannot say.
 */
export function faultsWithSlips(form: Form, node: SchemaNode, value: JsonValue): Fault[] {
  const slips = [...slipsIn(form, [node], value, "")];
  const meant = new Set(slips.map((slip) => slip.meant));
  const faults = form
    .faults(value, node)
    .filter(({ pointer: at, missing }) => missing === undefined || !meant.has(pointer(at, missing)));
  return [
    ...faults.map((fault) => ({ ...fault, lacksQuotes: lacksQuotes(fault, value) })),
    ...slips.map(({ fault }) => fault),
  ];
}

function lacksQuotes({ expected, pointer: at }: FileFault, value: JsonValue): boolean {
  return expected === "string" && ["number", "boolean"].includes(typeof atPointer(value, at));
}

/** A misspelt key. */
interface Slip {
  readonly fault: Fault;
  /** The place of the key that it stands for. */
  readonly meant: string;
}

function* slipsIn(form: Form, nodes: readonly SchemaNode[], value: JsonValue, at: string): Generator<Slip> {
  const all = form.inPlace(nodes);
  if (Array.isArray(value)) {
    const items = all.flatMap((node) => node.items ?? []);
    for (const [index, item] of value.entries()) yield* slipsIn(form, items, item, pointer(at, index));
  } else if (isJsonObject(value)) yield* slipsOf(form, all, value, at);
}

function* slipsOf(form: Form, nodes: readonly SchemaNode[], value: JsonObject, at: string): Generator<Slip> {
  const described = new Map<string, SchemaNode[]>();
  for (const [key, part] of nodes.flatMap(({ properties }) => [...(properties ?? [])]))
    described.set(key, [...(described.get(key) ?? []), part]);
  const isClosed = nodes.some(({ additionalProperties }) => additionalProperties?.never);
  const free = [...described.keys()].filter((name) => !Object.hasOwn(value, name));
  for (const [key, member] of Object.entries(value)) {
    const parts = described.get(key);
    if (parts) yield* slipsIn(form, parts, member, pointer(at, key));
    if (parts || isClosed) continue;
    const meant = closest(key, free);
    const fits = (name: string): boolean =>
      Array.isArray(member) && described.get(name)!.every((part) => isValid(form.schema, part, member));
    if (meant === undefined || !isSlip(key, meant, fits)) continue;
    const message = `there is no key ${JSON.stringify(key)}`;
    const fault = {
      ...{ code: contractCodes.unknownKey, pointer: pointer(at, key), message },
      next: didYouMean(meant),
    };
    yield { fault, meant: pointer(at, meant) };
  }
}

/**
 * In open objects only names that hardly can be another word: case, `_` and `-`, or one letter of a long one; of a shorter
 * one if the value is a list that fits, such as `scope: ["files:read"]`.
 */
function isSlip(key: string, meant: string, fits: (name: string) => boolean): boolean {
  const plain = (name: string): string => name.toLowerCase().replace(/(?<=.)[_-]/g, "");
  if (plain(key) === plain(meant)) return true;
  return editDistance(key, meant, 2) <= 1 && (meant.length >= 7 || fits(meant));
}

/** Finds entries of a contract's lists, and arguments of its prompts, that repeat an earlier name. */
function* duplicateNameFaults(contract: JsonValue): Generator<Fault> {
  if (!isJsonObject(contract)) return;
  for (const [list, key] of Object.entries(identities)) yield* duplicatesIn(contract, list, key, "");
  for (const [index, prompt] of entriesOf(contract, "prompts"))
    yield* duplicatesIn(prompt, "arguments", "name", pointer("/prompts", index));
}

function* duplicatesIn(holder: JsonObject, list: string, key: string, at: string): Generator<Fault> {
  const seen = new Map<JsonValue, string>();
  for (const [index, entry] of entriesOf(holder, list)) {
    const name = entry[key];
    if (typeof name !== "string") continue;
    const place = pointer(pointer(pointer(at, list), index), key);
    const first = seen.get(name);
    if (first === undefined) seen.set(name, place);
    else
      yield {
        code: "MG6004",
        pointer: place,
        message: `the ${key} ${JSON.stringify(name)} is used twice`,
        next: "Rename or remove one of the two.",
        first,
      };
  }
}

/** Anything but a list of objects is skipped: another check reports it. */
function entriesOf(holder: JsonObject, list: string): (readonly [number, JsonObject])[] {
  const entries = holder[list];
  if (!Array.isArray(entries)) return [];
  return [...entries.entries()].flatMap(([index, entry]) =>
    isJsonObject(entry) ? [[index, entry] as const] : [],
  );
}

const text = (description: string): JsonObject => ({ type: "string", description });
const named = (description: string): JsonObject => ({ type: "string", minLength: 1, description });
const truth = (description: string): JsonObject => ({ type: "boolean", description });
const listOf = (definition: string, description: string): JsonObject => ({
  type: "array",
  items: { $ref: `#/$defs/${definition}` },
  description,
});
const object = (description: string, properties: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  description,
});

const scopes: JsonObject = {
  type: "array",
  items: { type: "string", pattern: "^[!#-[\\]-~]+$" },
  description: "Scopes of OAuth that a request needs over HTTP. Servers do not list them.",
};

const milliseconds = (minimum: number, description: string): JsonObject => ({
  type: "integer",
  minimum,
  maximum: 2_147_483_647,
  description,
});

const task: JsonObject = {
  type: "object",
  description:
    "How calls run as tasks. Servers list `support` alone, as `execution.taskSupport` (2025-11-25).",
  required: ["support"],
  additionalProperties: false,
  properties: {
    support: {
      enum: ["optional", "required", "forbidden"],
      description: "Whether calls become tasks; `required` refuses clients without tasks.",
    },
    inlineMs: milliseconds(0, "Time that a call may take before it becomes a task."),
    onRestart: {
      enum: ["replay", "fail"],
      description: "What becomes of a task when the process that runs it ends.",
    },
    immediate: text("What the model may read while the task runs."),
    maxRunMs: milliseconds(1, "Time that one run of the handler may take."),
  },
};

const shared: JsonObject = {
  title: text("Name for people; defaults to `name`."),
  description: text("Its purpose, for models and people."),
  icons: listOf("Icon", "Icons that hosts may show."),
  _meta: object("Metadata; the protocol reserves some names."),
  scopes,
};

const listed = (about: string, required: readonly string[], properties: JsonObject): JsonObject => ({
  type: "object",
  description: about,
  required: [...required],
  properties: { name: named("Name for programs."), ...properties, ...shared },
});

const changes = truth("The server notifies clients when the list changes.");

/**
 * The JSON Schema of contract files, written to docs/contract.schema.json for editors. Objects of the protocol may have
 * further members: a captured server may use a newer revision.
 */
export const contractSchema: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "mcpgen contract",
  description: "Describes an MCP server: its name, and its lists in the shapes of the protocol.",
  type: "object",
  required: ["name", "version"],
  additionalProperties: false,
  properties: {
    $schema: text("Location of this schema, for editors."),
    name: named("Name of the server, for programs."),
    version: text("Version of the server."),
    title: text("Name of the server, for people."),
    instructions: text("How to use the server; hosts may add it to the model's context."),
    capabilities: { $ref: "#/$defs/Capabilities" },
    complete: truth(
      "`false`: the server left entries out of the lists in `asked`, or of any list without it.",
    ),
    asked: {
      type: "object",
      description: "Parameters that the server was asked with for each incomplete list, by list and request.",
      additionalProperties: false,
      properties: Object.fromEntries(
        ["tools", "resources", "resourceTemplates", "prompts"].map((list) => [
          list,
          { type: "array", items: { type: "object" }, description: `Requests for the list of ${list}.` },
        ]),
      ),
    },
    tools: listOf("Tool", "Tools that models may call."),
    resources: listOf("Resource", "Resources that clients may read."),
    resourceTemplates: listOf("ResourceTemplate", "Families of resources, by URI template."),
    prompts: listOf("Prompt", "Prompts for people to choose from."),
  },
  $defs: {
    Capabilities: object("Capabilities that the lists do not imply.", {
      completions: object("The server completes arguments."),
      experimental: object("Non-standard capabilities."),
      extensions: object("Extensions of the protocol, by identifier."),
      logging: object("The server sends log messages."),
      prompts: object("Capabilities for prompts.", { listChanged: changes }),
      resources: object("Capabilities for resources.", {
        listChanged: changes,
        subscribe: truth("Clients may subscribe to changes of a resource."),
      }),
      tools: object("Capabilities for tools.", { listChanged: changes }),
    }),
    Tool: listed("A tool.", ["name", "inputSchema"], {
      inputSchema: {
        type: "object",
        description: "JSON Schema of the arguments.",
        required: ["type"],
        properties: { type: { const: "object" } },
      },
      outputSchema: { type: "object", description: "JSON Schema of the structured result." },
      annotations: object("Hints about the effects of the tool. Clients must not rely on them.", {
        title: text("Name for people."),
        readOnlyHint: truth("The tool changes nothing."),
        destructiveHint: truth("The tool may destroy data."),
        idempotentHint: truth("A second call with the same arguments has no further effect."),
        openWorldHint: truth("The tool interacts with external systems."),
      }),
      task,
    }),
    Resource: listed("A resource.", ["name", "uri"], {
      uri: named("URI of the resource."),
      mimeType: text("Media type of the content."),
      size: { type: "integer", minimum: 0, description: "Size of the content in bytes." },
      annotations: { $ref: "#/$defs/Annotations" },
    }),
    ResourceTemplate: listed("Resources with a common URI template.", ["name", "uriTemplate"], {
      uriTemplate: named("URI template (RFC 6570)."),
      mimeType: text("Media type of the content of all these resources."),
      annotations: { $ref: "#/$defs/Annotations" },
    }),
    Prompt: listed("A prompt.", ["name"], {
      arguments: listOf("PromptArgument", "Arguments of the prompt; their values are strings."),
    }),
    PromptArgument: {
      type: "object",
      description: "An argument of a prompt.",
      required: ["name"],
      properties: {
        name: named("Name for programs."),
        title: text("Name for people."),
        description: text("Its purpose."),
        required: truth("Whether the argument is required."),
      },
    },
    Icon: {
      type: "object",
      description: "An icon.",
      required: ["src"],
      properties: {
        src: named("URI of the image."),
        mimeType: text("Media type of the image."),
        sizes: {
          type: "array",
          items: { type: "string" },
          description: "Sizes of the image, such as 48x48, or any.",
        },
        theme: { enum: ["dark", "light"], description: "The background that it suits." },
      },
    },
    Annotations: object("Hints about the audience and the priority.", {
      audience: {
        type: "array",
        items: { enum: ["user", "assistant"] },
        description: "The intended audience.",
      },
      lastModified: text("Time of the last change (ISO 8601)."),
      priority: {
        type: "number",
        minimum: 0,
        maximum: 1,
        description: "Priority: 1 is required, 0 is optional.",
      },
    }),
  },
};

const contractForm = new FileForm(contractSchema, contractCodes);
