import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";

/** The values that the configuration allows: for the reader, and as a JSON Schema for editors. */
export interface Shape {
  readonly expected: string;
  readonly fits: (value: JsonValue) => boolean;
  /** Shapes of the members of an object, or of every item of an array. */
  readonly members?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  /** The same as `fits`, as a JSON Schema; members and items are added to it. */
  readonly schema: JsonObject;
}

const text = (description: string): Shape => ({
  expected: "a non-empty string",
  fits: (value) => typeof value === "string" && value !== "",
  schema: { type: "string", minLength: 1, description },
});

const listOf = (items: Shape, description: string): Shape => ({
  expected: "an array",
  fits: Array.isArray,
  items,
  schema: { type: "array", description },
});

const objectOf = (
  members: Readonly<Record<string, Shape>>,
  description: string,
  required: readonly string[] = [],
): Shape => ({
  expected: "an object",
  fits: isJsonObject,
  members,
  required,
  schema: { type: "object", description },
});

const oneOf = (choices: readonly string[], description: string): Shape => ({
  expected: `one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`,
  fits: (value) => typeof value === "string" && choices.includes(value),
  schema: { enum: [...choices], description },
});

const severities: Shape = {
  expected: "an object",
  fits: isJsonObject,
  schema: { type: "object", description: "Severity by rule id." },
};

const packageShape: Shape = {
  expected: "a name, or an object with the members of package.json",
  fits: (value) => {
    const name = isJsonObject(value) ? value["name"] : value;
    return typeof name === "string" && name !== "";
  },
  schema: {
    type: ["string", "object"],
    minLength: 1,
    required: ["name"],
    properties: { name: { type: "string", minLength: 1 } },
    description: "Write a package.json and a README.md into the output folder: its name, or its members.",
  },
};

const contract = objectOf(
  {
    file: text("The contract: YAML, or JSON by its extension."),
    out: text("Output folder for the generated code."),
    role: oneOf(["client", "server", "both"], "The role to generate code for."),
    formats: oneOf(["annotation", "assertion"], "Whether `format` is asserted (default: annotation)."),
    base: text("Folder whose files the schemas may refer to."),
    server: text(
      "The live server that `mcpgen check` compares with the contract: http(s)://…, stdio:COMMAND … or a name.",
    ),
  },
  "A contract to generate from.",
  ["file", "out", "role"],
);

/** The configuration. Keys stand in the order of the documentation. */
export const configShape: Shape = objectOf(
  {
    $schema: text("Location of this schema, for editors."),
    revisions: listOf(
      text("Id of a revision."),
      "Revisions to generate (default: all in the schema folder).",
    ),
    schema: text("The schema folder (default: schema)."),
    out: text("The output folder (default: generated)."),
    package: packageShape,
    contracts: listOf(contract, "Contracts to generate from, each into a separate folder."),
    importExtension: oneOf(["js", "ts"], "Extension of relative imports in generated code (default: js)."),
    templates: text("Folder with templates that replace the shipped templates of the same name."),
    plugins: listOf(text("A module."), "Modules that add emitters."),
    diff: objectOf(
      {
        readers: oneOf(["open", "closed"], "How readers treat unknown values of unions and string sets."),
        failOn: oneOf(["breaking", "dangerous", "any", "never"], "Findings for which the exit code is 1."),
        rules: severities,
      },
      "Defaults of mcpgen diff.",
    ),
  },
  "Configuration of mcpgen. Paths are relative to the file.",
);

/** The JSON Schema of `mcpgen.config.json`. It is written to docs/config.schema.json for editors. */
export function configSchema(): JsonObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "mcpgen configuration",
    ...schemaOf(configShape),
  };
}

function schemaOf({ schema, members, required, items }: Shape): JsonObject {
  return {
    ...schema,
    ...(items && { items: schemaOf(items) }),
    ...(members && {
      properties: Object.fromEntries(Object.entries(members).map(([key, member]) => [key, schemaOf(member)])),
      ...(required && required.length > 0 && { required: [...required] }),
      additionalProperties: false,
    }),
  };
}
