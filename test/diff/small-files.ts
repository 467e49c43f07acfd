import { mcpgen } from "../support/in-process.js";
import { smallSchema } from "../support/small-protocol.js";

/** `smallSchema` with another EchoParams. */
const withParams = (params: object): string =>
  JSON.stringify({ ...smallSchema, $defs: { ...smallSchema.$defs, EchoParams: params } }, null, 2);

const text = { type: "string" };
const old = JSON.stringify(smallSchema);
export const breaking = withParams({
  type: "object",
  properties: { text, lang: text },
  required: ["text", "lang"],
});
const dangerous = withParams({
  type: "object",
  properties: { text: { ...text, format: "uri" } },
  required: ["text"],
});
const safe = withParams({ type: "object", properties: { text, lang: text }, required: ["text"] });

export const files = {
  "old.json": old,
  "breaking.json": breaking,
  "dangerous.json": dangerous,
  "safe.json": safe,
};

/** `mcpgen diff old.json …` in a folder that has the files. */
export const run = (folder: string, ...args: string[]): ReturnType<typeof mcpgen> =>
  mcpgen(folder, ["diff", "old.json", ...args]);
