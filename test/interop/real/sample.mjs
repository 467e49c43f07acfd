import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * The compiler's own sampler, from source: `sample(schema, seed)` draws valid arguments with described members only,
 * because the types do not contain others. Without a seed, it returns the smallest.
 */
export async function sampler() {
  const sample = await loaded();
  return (schema, seed) => sample(described(schema), seed);
}

/** This treats members called `properties` beside a `type` as schemas. No tool has such arguments. */
export function described(schema) {
  if (Array.isArray(schema)) return schema.map(described);
  if (typeof schema !== "object" || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, described(value)]));
  const open = schema.properties !== undefined && schema.additionalProperties === undefined;
  return open && schema.type === "object" ? { ...inner, additionalProperties: false } : inner;
}

async function loaded() {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { readDocument } from "@mcpgen/engine";
        import { minimalValid, sampleValid } from "./generator/sample/sample.js";
        import { randomFrom } from "./generator/sample/values.js";
        export function sample(json, seed) {
          const { root, definitions } = readDocument(json);
          const schema = { definitions: new Map([...definitions, ["", { name: "", node: root }]]) };
          return seed === undefined ? minimalValid(schema, "") : sampleValid(schema, "", randomFrom(seed));
        }`,
      resolveDir: root,
    },
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    conditions: ["mcpgen-source"],
    logLevel: "error",
  });
  const module = Buffer.from(outputFiles[0].contents).toString("base64");
  return (await import(`data:text/javascript;base64,${module}`)).sample;
}
