import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, canonicalise } from "@mcpgen/engine";
import { carryNotes } from "../../generator/revision/carried-notes.js";
import { generate, releasedSource, schemaDir } from "../support/generated-output.js";
import { documentOf, revisions } from "../support/revisions.js";
import { rename } from "../support/schema-changes/edits.js";

/** The newest released revision. */
export const newest = revisions.at(-1)!;

/** A made-up revision whose lists may leave entries out. */
export const partialRevision = "2027-03-01";

const text = { type: "string" };
const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
const object = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: "object",
  properties,
  required,
});

interface Definitions {
  // oxlint-disable-next-line typescript/no-explicit-any
  [name: string]: any;
}

/**
 * Its schema. A list of tools has whole tools and references, and says `complete: false` if it is incomplete; requests
 * may select by `query` and `group`, and `tools/get` returns one tool. An incomplete list of prompts says `more: true`,
 * and no request returns one prompt.
 */
export function partialDocument(): JsonObject {
  const document = structuredClone(documentOf(newest)) as unknown as { readonly $defs: Definitions };
  const { $defs } = document;
  const meta = { _meta: ref("RequestMetaObject") };
  $defs["ToolReference"] = object({ name: text, description: text }, ["name"]);
  const { ListToolsRequest, ListToolsResult, ListPromptsResult, CallToolResultResponse } = $defs;
  ListToolsResult.properties.tools.items = { anyOf: [ref("Tool"), ref("ToolReference")] };
  ListToolsResult.properties.complete = { type: "boolean" };
  ListPromptsResult.properties.more = { type: "boolean" };
  $defs["ListToolsRequestParams"] = object({ ...meta, cursor: text, query: text, group: text }, ["_meta"]);
  ListToolsRequest.properties.params = ref("ListToolsRequestParams");
  $defs["GetToolRequestParams"] = object({ ...meta, name: text }, ["_meta", "name"]);
  $defs["GetToolRequest"] = structuredClone(ListToolsRequest);
  $defs["GetToolRequest"].properties.method.const = "tools/get";
  $defs["GetToolRequest"].properties.params = ref("GetToolRequestParams");
  const result = { _meta: ref("ResultMetaObject"), resultType: text, tool: ref("Tool") };
  $defs["GetToolResult"] = object(result, ["resultType", "tool"]);
  $defs["GetToolResultResponse"] = structuredClone(CallToolResultResponse);
  $defs["GetToolResultResponse"].properties.result = ref("GetToolResult");
  $defs["ClientRequest"].anyOf.push(ref("GetToolRequest"));
  $defs["ServerResult"].anyOf.push(ref("GetToolResult"));
  return document as unknown as JsonObject;
}

/** How the revision is brought in. */
interface Manner {
  /** The revision whose names clients use. Default: the made-up one. */
  readonly vocabulary?: string;
  /** A new name for the member `inputSchema` of tools; a note declares the rename. */
  readonly schemaMember?: string;
}

async function notesFor(document: JsonObject, { schemaMember }: Manner): Promise<JsonObject[]> {
  const file = join(schemaDir, newest, "notes.json");
  const source = readFileSync(file, "utf8");
  const notesFile = { file, text: source, value: JSON.parse(source) as JsonObject };
  const { notes } = await carryNotes({ file, text: "" }, canonicalise(document), notesFile);
  const because = { reason: "A test.", link: "https://example.com/" };
  const extending = (base: string, ...targets: string[]): JsonObject => ({
    ...{ kind: "extends", target: targets.map((name) => `/$defs/${name}`), base },
    ...because,
  });
  return [
    ...notes,
    extending("RequestParams", "ListToolsRequestParams", "GetToolRequestParams"),
    extending("JSONRPCRequest", "GetToolRequest"),
    extending("Result", "GetToolResult"),
    { kind: "capability", target: "tools/get", of: "server", capability: "/tools", ...because },
    {
      ...{ kind: "partial", target: "tools/list", member: "/complete", means: false },
      ...{ item: "/$defs/ToolReference", get: "tools/get" },
      ...because,
    },
    { kind: "partial", target: "prompts/list", member: "/more", means: true, ...because },
    { kind: "lower", target: "/$defs/ToolReference", previous: newest, how: "drop", ...because },
    ...(schemaMember === undefined
      ? []
      : [
          {
            ...{ kind: "renamed", target: `/$defs/Tool/properties/${schemaMember}`, previous: newest },
            ...{ from: "inputSchema", ...because },
          },
        ]),
  ];
}

/**
 * What is generated for the newest revision and the one after it.
 *
 * @param folder gets the schema and the notes
 */
export async function partialProtocol(
  folder: string,
  manner: Manner = {},
): Promise<ReadonlyMap<string, string>> {
  const document = partialDocument();
  const { vocabulary, schemaMember } = manner;
  if (schemaMember !== undefined)
    rename((document["$defs"] as Definitions)["Tool"], "inputSchema", schemaMember);
  const [schemaFile, notesFile] = [join(folder, "schema.json"), join(folder, "notes.json")];
  writeFileSync(schemaFile, JSON.stringify(document));
  writeFileSync(notesFile, JSON.stringify({ format: 1, notes: await notesFor(document, manner) }));
  const source = { revision: partialRevision, status: "released", schemaFile, notesFile } as const;
  const more = { ...(vocabulary !== undefined && { vocabulary }) };
  return (await generate([releasedSource(newest), source], more)).files;
}
