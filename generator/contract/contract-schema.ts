import type { JsonObject } from "@mcpgen/engine";

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
