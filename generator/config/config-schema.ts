import type { JsonObject } from "@mcpgen/engine";

const text = (description: string): JsonObject => ({ type: "string", minLength: 1, description });

/**
 * The JSON Schema of `mcpgen.config.json`: the reader judges by it, and it is written to docs/config.schema.json for editors.
 * Keys stand in the order of the documentation.
 */
export const configSchema: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "mcpgen configuration",
  type: "object",
  description: "Configuration of mcpgen. Paths are relative to the file.",
  properties: {
    $schema: text("Location of this schema, for editors."),
    revisions: {
      type: "array",
      description: "Revisions to generate (default: all in the schema folder).",
      items: text("Id of a revision."),
    },
    schema: text("The schema folder (default: schema)."),
    out: text("The output folder (default: generated)."),
    package: {
      type: ["string", "object"],
      minLength: 1,
      required: ["name"],
      properties: { name: { type: "string", minLength: 1 } },
      description: "Write a package.json and a README.md into the output folder: its name, or its members.",
    },
    contracts: {
      type: "array",
      description:
        "Contracts to generate from, each into a separate folder, or only to compare with their servers.",
      items: {
        type: "object",
        description: "A contract to generate from, or to compare with its server.",
        properties: {
          file: text("The contract: YAML, or JSON by its extension."),
          out: text(
            "Output folder for the generated code; without it, the contract is only compared with its server.",
          ),
          role: { enum: ["client", "server", "both"], description: "The role to generate code for." },
          formats: {
            enum: ["annotation", "assertion"],
            description: "Whether `format` is asserted (default: annotation).",
          },
          base: text("Folder whose files the schemas may refer to."),
          server: text(
            "The live server that `mcpgen check` compares with the contract: http(s)://…, stdio:COMMAND … or a name.",
          ),
        },
        required: ["file"],
        dependentRequired: { out: ["role"] },
        additionalProperties: false,
      },
    },
    importExtension: {
      enum: ["js", "ts"],
      description: "Extension of relative imports in generated code (default: js).",
    },
    templates: text("Folder with templates that replace the shipped templates of the same name."),
    plugins: { type: "array", description: "Modules that add emitters.", items: text("A module.") },
    diff: {
      type: "object",
      description: "Defaults of mcpgen diff.",
      properties: {
        readers: {
          enum: ["open", "closed"],
          description: "How readers treat unknown values of unions and string sets.",
        },
        failOn: {
          enum: ["breaking", "dangerous", "any", "never"],
          description: "Findings for which the exit code is 1.",
        },
        rules: { type: "object", description: "Severity by rule id." },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};
