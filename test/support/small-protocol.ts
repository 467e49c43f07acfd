import { temporaryFolder } from "./temporary-folder.js";
import { mcpgen } from "./in-process.js";

const message = (method: string, params: object) => ({
  type: "object",
  properties: { method: { type: "string", const: method }, params },
  required: ["method", "params"],
});

/** The schema file of a protocol with one request and one notification. */
export const smallSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $defs: {
    EchoRequest: message("echo", { $ref: "#/$defs/EchoParams" }),
    EchoParams: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    EchoResult: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    LogNotification: message("notifications/log", { type: "object" }),
    ClientRequest: { anyOf: [{ $ref: "#/$defs/EchoRequest" }] },
    ServerNotification: { anyOf: [{ $ref: "#/$defs/LogNotification" }] },
    ServerResult: { anyOf: [{ $ref: "#/$defs/EchoResult" }] },
  },
};

export const smallSchemaText = JSON.stringify(smallSchema);

/** Makes a project with that protocol as its only revision. */
export async function smallProject(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = temporaryFolder({ "2030-01-01/schema.json": smallSchemaText, ...files });
  const added = await mcpgen(folder, ["revision", "add", "2030-01-01/schema.json"]);
  if (added.code !== 0) throw new Error(added.stderr);
  return folder;
}
