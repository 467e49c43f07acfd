import { type JsonObject, isJsonObject } from "@mcpgen/engine";
import { type Shape, listOf, objectOf, oneOf, schemaOf, text } from "../files/json-shape.js";

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
    out: text(
      "Output folder for the generated code; without it, the contract is only compared with its server.",
    ),
    role: oneOf(["client", "server", "both"], "The role to generate code for."),
    formats: oneOf(["annotation", "assertion"], "Whether `format` is asserted (default: annotation)."),
    base: text("Folder whose files the schemas may refer to."),
    server: text(
      "The live server that `mcpgen check` compares with the contract: http(s)://…, stdio:COMMAND … or a name.",
    ),
  },
  "A contract to generate from, or to compare with its server.",
  ["file"],
  { out: ["role"] },
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
    contracts: listOf(
      contract,
      "Contracts to generate from, each into a separate folder, or only to compare with their servers.",
    ),
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
