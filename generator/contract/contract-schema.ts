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

const shared: JsonObject = {
  title: text("Name for people; without it, `name` is shown."),
  description: text("What it is for, for models and people."),
  icons: listOf("Icon", "Pictures that hosts may show."),
  _meta: object("Metadata; some names are reserved for the protocol."),
};

const listed = (about: string, required: readonly string[], properties: JsonObject): JsonObject => ({
  type: "object",
  description: about,
  required: [...required],
  properties: { name: named("Name that programs use."), ...properties, ...shared },
});

const changes = truth("Clients are told when the list changes.");

/**
 * The JSON Schema of contract files. docs/contract.schema.json is this, for editors. What the protocol's objects may
 * hold beyond it is kept: captured servers are newer than we are.
 */
export const contractSchema: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "mcpgen contract",
  description: "What an MCP server offers: the shapes of the protocol's own lists, with the server's name.",
  type: "object",
  required: ["name", "version"],
  additionalProperties: false,
  properties: {
    $schema: text("Where this schema is, for editors."),
    name: named("Name of the server, for programs."),
    version: text("Version of the server."),
    title: text("Name of the server, for people."),
    instructions: text("How to use the server: hosts may put it into the model's context."),
    capabilities: { $ref: "#/$defs/Capabilities" },
    tools: listOf("Tool", "What models may call."),
    resources: listOf("Resource", "What may be read."),
    resourceTemplates: listOf("ResourceTemplate", "Families of resources, by URI template."),
    prompts: listOf("Prompt", "Prompts for people to choose from."),
  },
  $defs: {
    Capabilities: object("What the server can do beyond what its lists tell.", {
      completions: object("Arguments are completed."),
      experimental: object("Capabilities of no standard."),
      extensions: object("Extensions of the protocol, by identifier."),
      logging: object("Log messages are sent."),
      prompts: object("About prompts.", { listChanged: changes }),
      resources: object("About resources.", {
        listChanged: changes,
        subscribe: truth("Clients may ask to be told when a resource changes."),
      }),
      tools: object("About tools.", { listChanged: changes }),
    }),
    Tool: listed("A tool.", ["name", "inputSchema"], {
      inputSchema: {
        type: "object",
        description: "JSON Schema of the arguments.",
        required: ["type"],
        properties: { type: { const: "object" } },
      },
      outputSchema: { type: "object", description: "JSON Schema of the structured result." },
      annotations: object("Hints about what the tool does; not to be relied on.", {
        title: text("Name for people."),
        readOnlyHint: truth("It changes nothing."),
        destructiveHint: truth("It may destroy something."),
        idempotentHint: truth("Called again with the same arguments it changes nothing further."),
        openWorldHint: truth("It deals with the world outside of the server."),
      }),
    }),
    Resource: listed("A resource.", ["name", "uri"], {
      uri: named("URI that it is read by."),
      mimeType: text("Media type of its content."),
      size: { type: "integer", minimum: 0, description: "Size of its content in bytes." },
      annotations: { $ref: "#/$defs/Annotations" },
    }),
    ResourceTemplate: listed("Resources that one URI template names.", ["name", "uriTemplate"], {
      uriTemplate: named("URI template (RFC 6570)."),
      mimeType: text("Media type of the content of all of them."),
      annotations: { $ref: "#/$defs/Annotations" },
    }),
    Prompt: listed("A prompt.", ["name"], {
      arguments: listOf("PromptArgument", "What it is made with; values are texts."),
    }),
    PromptArgument: {
      type: "object",
      description: "An argument of a prompt.",
      required: ["name"],
      properties: {
        name: named("Name that programs use."),
        title: text("Name for people."),
        description: text("What it is for."),
        required: truth("It must be given."),
      },
    },
    Icon: {
      type: "object",
      description: "A picture.",
      required: ["src"],
      properties: {
        src: named("URI of the picture."),
        mimeType: text("Its media type."),
        sizes: { type: "array", items: { type: "string" }, description: "Its sizes, as 48x48 or any." },
        theme: { enum: ["dark", "light"], description: "The background it is for." },
      },
    },
    Annotations: object("Hints about who it is for.", {
      audience: {
        type: "array",
        items: { enum: ["user", "assistant"] },
        description: "Who it is for.",
      },
      lastModified: text("When it last changed (ISO 8601)."),
      priority: {
        type: "number",
        minimum: 0,
        maximum: 1,
        description: "How important it is: 1 is needed, 0 can be left out.",
      },
    }),
  },
};
