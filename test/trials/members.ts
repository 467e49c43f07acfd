import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import {
  declare,
  membersOf,
  object,
  reference,
  remove,
  rename,
  text,
  without,
} from "../support/schema-changes/edits.js";
import { type Trial, pin } from "./trial.js";

/** A note with the expressions that make the members of an object, in one direction or both. */
const reshaped = (definition: string, lift: JsonObject, lower?: JsonObject): JsonObject => ({
  kind: "reshaped",
  target: `/$defs/${definition}`,
  previous: pin,
  lift,
  ...(lower && { lower }),
});

const renamed = (definition: string, from: string, to: string): JsonObject => ({
  kind: "renamed",
  target: `/$defs/${definition}/properties/${to}`,
  previous: pin,
  from,
});

/** The definitions of results with hints for caches. */
const cacheable = [
  "CacheableResult",
  "DiscoverResult",
  "ListPromptsResult",
  "ListResourceTemplatesResult",
  "ListResourcesResult",
  "ListToolsResult",
  "ReadResourceResult",
];

/** A member that the runtime fills in, in the metadata of params or of a result. */
function filledIn(holder: JsonValue | undefined, name: string): JsonValue | undefined {
  const meta = isJsonObject(holder) ? holder["_meta"] : undefined;
  return isJsonObject(meta) ? meta[`io.modelcontextprotocol/${name}`] : undefined;
}

/** The definitions of content whose kind is in the member `type`. */
const content = [
  ...["TextContent", "ImageContent", "AudioContent", "ResourceLink", "EmbeddedResource"],
  ...["ToolUseContent", "ToolResultContent"],
];

/** Trials that change the members and the types of messages. */
export const memberTrials: readonly Trial[] = [
  {
    name: "members have other names",
    of: "members",
    change: (definitions) => {
      rename(definitions["Tool"]!, "inputSchema", "parameters");
      rename(definitions["CallToolResult"]!, "structuredContent", "data");
      rename(definitions["ToolResultContent"]!, "structuredContent", "data");
      rename(definitions["PromptMessage"]!, "role", "from");
    },
    notes: [
      renamed("Tool", "inputSchema", "parameters"),
      renamed("CallToolResult", "structuredContent", "data"),
      renamed("ToolResultContent", "structuredContent", "data"),
      renamed("PromptMessage", "role", "from"),
    ],
    seen: ({ method, result }) =>
      method === "tools/list"
        ? (result["tools"] as JsonObject[]).every((tool) => "parameters" in tool && !("inputSchema" in tool))
        : method === "tools/call"
          ? !("structuredContent" in result)
          : true,
  },
  {
    name: "the mark of a union has another name",
    of: "members",
    change: (definitions) => {
      for (const name of content) rename(definitions[name]!, "type", "kind");
    },
    notes: content.map((name) => renamed(name, "type", "kind")),
    seen: ({ method, result }) =>
      method !== "tools/call" ||
      !Array.isArray(result["content"]) ||
      (result["content"] as JsonObject[]).every((block) => "kind" in block && !("type" in block)),
  },
  {
    name: "results that ask have another mark",
    of: "members",
    change: (definitions) =>
      declare(definitions["InputRequiredResult"]!, { resultType: { const: "input", type: "string" } }),
    // Notes that only name the previous value of `resultType` are not needed: the schema itself has the new value.
    deleted: ({ kind, alternatives }) => kind === "pairing" && alternatives !== undefined,
    seen: ({ result }) => result["resultType"] !== "input_required",
  },
  {
    name: "lists go on by the number of a page",
    of: "members",
    change: (definitions) => {
      const pages = Object.keys(definitions).filter(
        (name) => "nextCursor" in (membersOf(definitions[name]!) ?? {}),
      );
      for (const name of pages) {
        remove(definitions[name]!, "nextCursor");
        declare(definitions[name]!, { page: { type: "integer" }, pages: { type: "integer" } }, ["page"]);
      }
      remove(definitions["PaginatedRequestParams"]!, "cursor");
      declare(definitions["PaginatedRequestParams"]!, { page: { type: "integer" } });
    },
    notes: ["Prompts", "Resources", "ResourceTemplates", "Tools"].map((name) => ({
      kind: "lift",
      target: `/$defs/List${name}Result/properties/page`,
      previous: pin,
      how: "fill",
      value: 1,
    })),
    losses: [/^\/page dropped$/],
    seen: ({ method, result }) => method !== "tools/list" || result["page"] === 1,
  },
  {
    name: "members move into an object",
    of: "members",
    change: (definitions) => {
      const { title, annotations } = membersOf(definitions["Tool"]!) as JsonObject;
      remove(definitions["Tool"]!, "title", "annotations");
      declare(definitions["Tool"]!, { display: object({ title: title!, hints: annotations! }) });
    },
    notes: [
      reshaped(
        "Tool",
        {
          display: {
            $or: [
              { $if: "/title", then: { title: { $: "/title" }, hints: { $: "/annotations" } } },
              { $if: "/annotations", then: { hints: { $: "/annotations" } } },
            ],
          },
        },
        { title: { $: "/display/title" }, annotations: { $: "/display/hints" } },
      ),
    ],
    seen: ({ method, result }) =>
      method !== "tools/list" ||
      (result["tools"] as JsonObject[]).every(
        (tool) =>
          !("title" in tool) &&
          !("annotations" in tool) &&
          (tool["name"] !== "add" || isJsonObject(tool["display"])),
      ),
  },
  {
    name: "one list becomes two",
    of: "members",
    change: (definitions) => {
      const rest = ["AudioContent", "EmbeddedResource", "ImageContent", "ResourceLink"].map(reference);
      declare(
        definitions["CallToolResult"]!,
        {
          content: { type: "array", items: reference("TextContent") },
          attachments: { type: "array", items: { anyOf: rest } },
        },
        ["content", "attachments"],
      );
    },
    notes: [
      reshaped(
        "CallToolResult",
        {
          content: { $or: [{ $each: "/content", where: { type: "text" }, make: { $: "." } }, []] },
          attachments: {
            $or: [
              {
                $each: "/content",
                where: { type: { in: ["audio", "image", "resource", "resource_link"] } },
                make: { $: "." },
              },
              [],
            ],
          },
        },
        { content: { $join: [{ $: "/content" }, { $: "/attachments" }] } },
      ),
    ],
    seen: ({ method, result }) =>
      method !== "tools/call" ||
      result["resultType"] === "input_required" ||
      (Array.isArray(result["attachments"]) &&
        (result["content"] as JsonObject[]).every(({ type }) => type === "text")),
  },
  {
    name: "results are named outputs",
    of: "members",
    change: (definitions) => {
      definitions["ContentOutput"] = object(
        {
          type: { const: "content", type: "string" },
          variant: text,
          content: { type: "array", items: reference("ContentBlock") },
        },
        ["type", "variant", "content"],
      );
      definitions["StructuredOutput"] = object(
        { type: { const: "structured", type: "string" }, variant: text, value: {} },
        ["type", "variant", "value"],
      );
      definitions["Output"] = { anyOf: [reference("ContentOutput"), reference("StructuredOutput")] };
      remove(definitions["CallToolResult"]!, "content", "structuredContent");
      declare(definitions["CallToolResult"]!, { outputs: { type: "array", items: reference("Output") } }, [
        "outputs",
      ]);
      declare(definitions["CallToolRequestParams"]!, { requestedOutputs: { type: "array", items: text } });
      rename(definitions["Tool"]!, "outputSchema", "outputVariants");
      declare(definitions["Tool"]!, {
        outputVariants: {
          type: "array",
          items: object({ name: text, schema: { type: "object", additionalProperties: {} } }, ["name"]),
        },
      });
    },
    notes: [
      reshaped(
        "CallToolResult",
        {
          outputs: {
            $join: [
              {
                $if: "/content",
                then: [{ type: "content", variant: "content", content: { $: "/content" } }],
              },
              {
                $if: "/structuredContent",
                then: [{ type: "structured", variant: "structured", value: { $: "/structuredContent" } }],
              },
            ],
          },
        },
        {
          content: {
            $or: [
              { $each: "/outputs", where: { type: "content" }, flat: true, make: { $: "./content" } },
              {
                $each: "/outputs",
                where: { type: "structured" },
                make: { type: "text", text: { $json: { $: "./value" } } },
              },
              [],
            ],
          },
          structuredContent: { $first: "/outputs", where: { type: "structured" }, make: { $: "./value" } },
        },
      ),
      reshaped(
        "Tool",
        {
          outputVariants: {
            $if: "/outputSchema",
            then: [{ name: "structured", schema: { $: "/outputSchema" } }],
          },
        },
        {
          outputSchema: { $first: "/outputVariants", where: { name: "structured" }, make: { $: "./schema" } },
        },
      ),
    ],
    losses: [/\/variant dropped$/],
    seen: ({ method, result }) =>
      method !== "tools/call" ||
      result["resultType"] === "input_required" ||
      (Array.isArray(result["outputs"]) && !("content" in result) && !("structuredContent" in result)),
  },
  {
    name: "members become required",
    of: "members",
    change: (definitions) => {
      declare(definitions["Tool"]!, {}, ["title", "description"]);
      declare(definitions["Prompt"]!, {}, ["title"]);
      declare(definitions["PromptArgument"]!, {}, ["description"]);
    },
    notes: [
      ...["/$defs/Tool/properties/description", "/$defs/PromptArgument/properties/description"].map(
        (target) => ({
          kind: "lift",
          target,
          previous: pin,
          how: "fill",
          value: "",
        }),
      ),
      ...["Tool", "Prompt"].map((definition) =>
        reshaped(definition, { title: { $or: [{ $: "/title" }, { $: "/name" }] } }),
      ),
    ],
    losses: [/ filled$/],
    seen: ({ method, result }) =>
      method !== "tools/list" ||
      (result["tools"] as JsonObject[]).every((tool) => "title" in tool && "description" in tool),
  },
  {
    name: "a list becomes a map",
    of: "members",
    change: (definitions) => {
      const argument = definitions["PromptArgument"]!;
      definitions["NamedPromptArgument"] = structuredClone(argument);
      remove(definitions["NamedPromptArgument"], "name");
      declare(definitions["Prompt"]!, {
        arguments: { type: "object", additionalProperties: reference("NamedPromptArgument") },
      });
    },
    notes: [
      reshaped(
        "Prompt",
        {
          arguments: {
            $map: "/arguments",
            key: { $: "./name" },
            make: {
              title: { $: "./title" },
              description: { $: "./description" },
              required: { $: "./required" },
            },
          },
        },
        {
          arguments: {
            $each: "/arguments",
            make: {
              name: { $: "./key" },
              title: { $: "./value/title" },
              description: { $: "./value/description" },
              required: { $: "./value/required" },
            },
          },
        },
      ),
    ],
    seen: ({ method, result }) =>
      method !== "prompts/list" ||
      (result["prompts"] as JsonObject[]).every(
        ({ arguments: given }) => given === undefined || isJsonObject(given),
      ),
  },
  {
    name: "a union takes fewer members",
    of: "members",
    change: (definitions) => without(definitions["ContentBlock"]!, "AudioContent", "ResourceLink"),
    notes: [
      {
        kind: "lift",
        target: "/$defs/AudioContent",
        previous: pin,
        how: "text",
        text: "[audio: {mimeType}]",
      },
      { kind: "lift", target: "/$defs/ResourceLink", previous: pin, how: "text", text: "{name}: {uri}" },
    ],
    losses: [/ text$/],
    without: ["kinds", "shown"],
    seen: ({ method, result }) =>
      method !== "tools/call" ||
      !Array.isArray(result["content"]) ||
      (result["content"] as JsonObject[]).every(({ type }) => type !== "audio" && type !== "resource_link"),
  },
  {
    name: "a definition becomes a union",
    of: "members",
    change: (definitions) => {
      const typed = structuredClone(definitions["Tool"]!);
      const plain = structuredClone(definitions["Tool"]!);
      declare(typed, { kind: { const: "typed", type: "string" } }, ["kind", "outputSchema"]);
      remove(plain, "outputSchema");
      declare(plain, { kind: { const: "plain", type: "string" } }, ["kind"]);
      definitions["TypedTool"] = typed;
      definitions["PlainTool"] = plain;
      definitions["Tool"] = { anyOf: [reference("TypedTool"), reference("PlainTool")] };
    },
    notes: [
      reshaped(
        "Tool",
        { kind: { $if: "/outputSchema", then: "typed", else: "plain" } },
        { name: { $: "/name" } },
      ),
    ],
    losses: [/\/kind dropped$/],
    seen: ({ method, result }) =>
      method !== "tools/list" ||
      (result["tools"] as JsonObject[]).every(
        (tool) => tool["kind"] === ("outputSchema" in tool ? "typed" : "plain"),
      ),
  },
  {
    name: "errors have other numbers",
    of: "members",
    change: (definitions) => {
      for (const [name, code] of [
        ["HeaderMismatchError", -32050],
        ["MissingRequiredClientCapabilityError", -32051],
        ["UnsupportedProtocolVersionError", -32052],
      ] as const) {
        const { allOf } = membersOf(definitions[name]!)["error"] as { allOf: { properties: JsonObject }[] };
        allOf[1]!.properties = { ...allOf[1]!.properties, code: { const: code, type: "integer" } };
      }
    },
    notes: [
      { kind: "error", target: "-32050", name: "HEADER_MISMATCH", http: 400 },
      { kind: "error", target: "-32051", name: "MISSING_REQUIRED_CLIENT_CAPABILITY", http: 400 },
      { kind: "error", target: "-32052", name: "UNSUPPORTED_PROTOCOL_VERSION", http: 400 },
    ],
    seen: () => true,
  },
  {
    name: "values have other names",
    of: "members",
    change: (definitions) => {
      definitions["Role"] = { type: "string", enum: ["model", "user"] };
    },
    notes: (["lift", "lower"] as const).map((kind) => ({
      kind,
      target: "/$defs/Role",
      previous: pin,
      how: "fill",
      value: kind === "lift" ? "model" : "assistant",
    })),
    losses: [/ filled$/],
    seen: ({ method, result }) =>
      method !== "prompts/get" ||
      !Array.isArray(result["messages"]) ||
      (result["messages"] as JsonObject[]).every(({ role }) => role === "model" || role === "user"),
  },
  {
    name: "versions of peers become objects",
    of: "members",
    change: (definitions) => declare(definitions["Implementation"]!, { version: object({ text }, ["text"]) }),
    notes: [
      reshaped(
        "Implementation",
        { version: { text: { $: "/version" } } },
        { version: { $: "/version/text" } },
      ),
    ],
    seen: ({ request, result }) =>
      [filledIn(request["params"], "clientInfo"), filledIn(result, "serverInfo")].every(
        (peer) => isJsonObject(peer) && isJsonObject(peer["version"]),
      ),
  },
  {
    name: "log levels have other names",
    of: "members",
    change: (definitions) => {
      const { enum: levels } = definitions["LoggingLevel"] as { enum: string[] };
      definitions["LoggingLevel"] = {
        type: "string",
        enum: levels.map((level) => (level === "warning" ? "caution" : level)),
      };
    },
    notes: (["lift", "lower"] as const).map((kind) => ({
      kind,
      target: "/$defs/LoggingLevel",
      previous: pin,
      how: "fill",
      value: kind === "lift" ? "caution" : "warning",
    })),
    losses: [/ filled$/],
    seen: ({ request }) => filledIn(request["params"], "logLevel") !== "warning",
  },
  {
    name: "cache scopes have other names",
    of: "members",
    change: (definitions) => {
      for (const name of cacheable)
        declare(definitions[name]!, { cacheScope: { type: "string", enum: ["own", "shared"] } });
    },
    notes: (["lift", "lower"] as const).map((kind) => ({
      kind,
      target: cacheable.map((name) => `/$defs/${name}/properties/cacheScope`),
      previous: pin,
      how: "fill",
      value: kind === "lift" ? "own" : "private",
    })),
    losses: [/ filled$/],
    seen: ({ result }) => !["private", "public"].includes(String(result["cacheScope"])),
  },
  {
    name: "one value becomes a list",
    of: "members",
    change: (definitions) =>
      declare(definitions["PromptMessage"]!, {
        content: { type: "array", items: reference("ContentBlock") },
      }),
    notes: [
      reshaped(
        "PromptMessage",
        { content: [{ $: "/content" }] },
        { content: { $or: [{ $: "/content/0" }, { type: "text", text: "" }] } },
      ),
    ],
    seen: ({ method, result }) =>
      method !== "prompts/get" ||
      !Array.isArray(result["messages"]) ||
      (result["messages"] as JsonObject[]).every(({ content }) => Array.isArray(content)),
  },
];
