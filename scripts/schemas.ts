// Writes the JSON Schema of notes files: node scripts/run-ts.mjs scripts/schemas.ts
import { writeFileSync } from "node:fs";
import { format, resolveConfig } from "prettier";
import { notesSchema } from "./notes-schema.js";

const file = "docs/notes.schema.json";
const options = { ...(await resolveConfig(file)), filepath: file };
writeFileSync(file, await format(JSON.stringify(notesSchema, null, 2), options));
