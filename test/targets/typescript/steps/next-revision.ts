import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, type JsonValue, canonicalise } from "@mcpgen/engine";
import type { Revision, Role } from "@mcpgen/protocol/model";
import type { JsonFile } from "../../../../generator/files/json-file.js";
import { carryNotes } from "../../../../generator/revision/carried-notes.js";
import type { RevisionSource } from "../../../../generator/revision/revision-source.js";
import { loaded } from "../emitted-output.js";
import { generate, releasedSource, schemaDir } from "../../../support/generated-output.js";
import { documentOf, revisions } from "../../../support/revisions.js";

/** The newest released revision, whose names handlers and clients use here. */
export const newest = revisions.at(-1)!;

/** A revision that no code knows, after all others. */
export const next = "2027-06-30";

interface Definition {
  readonly properties: { [member: string]: JsonValue };
  readonly required: string[];
  readonly anyOf: { $ref: string }[];
}

/** Renamed members: the definition, the name in `newest`, and the name in `next`. */
const renamed = [
  ["CallToolRequestParams", "name", "tool"],
  ["CallToolRequestParams", "arguments", "input"],
  ["ListToolsResult", "tools", "items"],
  ["SubscriptionFilter", "toolsListChanged", "tools"],
  ["ResourceUpdatedNotificationParams", "uri", "resource"],
  ["LoggingMessageNotificationParams", "data", "value"],
  ["ServerCapabilities", "completions", "completion"],
  ["ElicitRequestFormParams", "message", "prompt"],
  ["ElicitResult", "action", "decision"],
  ["CancelledNotificationParams", "reason", "why"],
] as const;

/** A definition and a content block that `newest` does not have, one that it has alone, and a member that must be there. */
function changedDocument(): JsonObject {
  const document = structuredClone(documentOf(newest)) as unknown as {
    readonly $defs: Record<string, Definition>;
  };
  const { $defs } = document;
  for (const [definition, from, to] of renamed) {
    const { properties, required = [] } = $defs[definition]!;
    properties[to] = properties[from]!;
    delete properties[from];
    if (required.includes(from)) required.splice(required.indexOf(from), 1, to);
  }
  const { Tool, ContentBlock } = $defs;
  Tool!.properties["kind"] = { type: "string" };
  Tool!.required.push("kind");
  const blocks = ContentBlock!.anyOf.filter(({ $ref }) => !$ref.endsWith("/AudioContent"));
  ContentBlock!.anyOf.splice(0, Infinity, ...blocks, { $ref: "#/$defs/VideoContent" });
  const video = { type: { type: "string", const: "video" }, url: { type: "string" } };
  return {
    ...(document as unknown as JsonObject),
    $defs: {
      ...($defs as unknown as JsonObject),
      VideoContent: { type: "object", properties: video, required: ["type", "url"] },
    },
  };
}

/** A note of `newest` with the names of `next`. */
function reworded(note: JsonObject): JsonObject {
  const { kind, target } = note;
  if (kind === "subscription" && target === "notifications/tools/list_changed")
    return { ...note, filter: "/$defs/SubscriptionFilter/properties/tools" };
  if (kind === "subscription" && note["key"] === "uri") return { ...note, key: "resource" };
  if (note["capability"] === "/completions") return { ...note, capability: "/completion" };
  if (kind === "header" && Array.isArray(target))
    return { ...note, target: target.filter((method) => method !== "tools/call") };
  return note;
}

/** The notes of `next`: the notes of `newest`, and notes about the conversion of values between the two. */
async function notesFor(document: JsonObject): Promise<JsonObject[]> {
  const file = join(schemaDir, newest, "notes.json");
  const { notes: all } = JSON.parse(readFileSync(file, "utf8")) as { readonly notes: JsonObject[] };
  const value = { format: 1, notes: all.map(reworded) };
  const text = JSON.stringify(value);
  const { notes } = await carryNotes({ file, text: "" }, canonicalise(document), { file, text, value });
  const because = { reason: "A test.", link: "https://example.com/" };
  const pair = { previous: newest, ...because };
  return [
    ...notes,
    { kind: "header", target: "tools/call", header: "Mcp-Name", from: "/params/tool", ...because },
    // Clients of other revisions know nothing of it.
    { kind: "header", target: "*", header: "Mcp-Verb", from: "/method", ...because },
    ...renamed.map(([definition, from, to]) => ({
      ...{ kind: "renamed", target: `/$defs/${definition}/properties/${to}`, from, ...pair },
    })),
    { kind: "lift", target: "/$defs/Tool/properties/kind", how: "fill", value: "plain", ...pair },
    { kind: "lift", target: "/$defs/AudioContent", how: "text", text: "[audio {mimeType}]", ...pair },
    { kind: "lower", target: "/$defs/VideoContent", how: "text", text: "[video {url}]", ...pair },
  ];
}

const inMemory = (file: string, value: JsonObject): JsonFile => ({
  file,
  value,
  text: JSON.stringify(value),
});

/** How the revisions are generated. */
interface NextOptions {
  /** The pinned revision. */
  readonly vocabulary?: string;
  /** Of the next revision. */
  readonly status?: "released" | "draft";
}

/** The sources of all revisions, the next one too. */
async function sources(status: "released" | "draft"): Promise<RevisionSource[]> {
  const document = changedDocument();
  const read = {
    schema: inMemory("schema.json", document),
    notes: inMemory("notes.json", { format: 1, notes: await notesFor(document) }),
  };
  const files = { schemaFile: read.schema.file, notesFile: read.notes.file };
  return [...revisions.map(releasedSource), { revision: next, status, ...files, read }];
}

/** All output for the revisions, the next one too. */
export async function filesWithNext({
  vocabulary,
  status = "released",
}: NextOptions): Promise<ReadonlyMap<string, string>> {
  return (await generate(await sources(status), { vocabulary })).files;
}

/** All revisions, the next one too, as programs import them. */
export interface NextProtocol {
  readonly serverRevisions: readonly Revision<"server">[];
  readonly clientRevisions: readonly Revision<"client">[];
}

/** The generated tables of the revisions, with the exact definitions of sent messages. */
export async function withNext({ vocabulary, status = "released" }: NextOptions): Promise<NextProtocol> {
  const { files } = await generate(await sources(status), {
    vocabulary,
    only: ["validators", "methods", "client", "server", "steps", "stepping", "model", "index"],
  });
  const { explained, ...lists } = await loaded<Exports>(
    files,
    [
      'export { serverRevisions } from "./server.js";',
      'export { clientRevisions } from "./client.js";',
      `export { revision as nextServer } from "./${next}/server.js";`,
      `export { revision as nextClient } from "./${next}/client.js";`,
      'export { explained } from "./explained.js";',
    ].join("\n"),
  );
  // The modules that explain errors are not bundled here.
  const checked = <R extends Role>(all: readonly Revision<R>[]): readonly Revision<R>[] =>
    explained(all).map((revision) => ({ ...revision, explain: undefined }) as unknown as Revision<R>);
  // Lists have no drafts.
  const finished = <R extends Role>(all: readonly Revision<R>[]): readonly Revision<R>[] =>
    all.filter(({ id }) => id !== next);
  return {
    serverRevisions: checked([...finished(lists.serverRevisions), lists.nextServer]),
    clientRevisions: checked([...finished(lists.clientRevisions), lists.nextClient]),
  };
}

interface Exports extends NextProtocol {
  readonly nextServer: Revision<"server">;
  readonly nextClient: Revision<"client">;
  readonly explained: <R extends Role>(all: readonly Revision<R>[]) => readonly Revision<R>[];
}
