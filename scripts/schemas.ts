// Writes the JSON Schemas of the files that users write: node scripts/run-ts.mjs scripts/schemas.ts
import { writeFileSync } from "node:fs";
import { format, resolveConfig } from "prettier";
import { configSchema } from "../generator/config/config.js";
import { contractSchema } from "../generator/contract/fault.js";
import { extensionSchema } from "../generator/extension/extension-file.js";
import { notesSchema } from "../generator/notes/parse.js";

const schemas = {
  config: configSchema,
  contract: contractSchema,
  extension: extensionSchema,
  notes: notesSchema,
};
for (const [name, schema] of Object.entries(schemas)) {
  const file = `docs/${name}.schema.json`;
  const options = { ...(await resolveConfig(file)), filepath: file };
  writeFileSync(file, await format(JSON.stringify(schema, null, 2), options));
}
