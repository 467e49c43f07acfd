import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { lockText, readLock } from "../../generator/revision/lock.js";
import { type Ran, mcpgen } from "./in-process.js";
import {
  type Definitions,
  addRequest,
  membersOf,
  object,
  reference,
  text,
  withArms,
} from "./schema-changes/edits.js";
import { temporaryFolder } from "./temporary-folder.js";

/** The newest released revision, and an invented one. */
export const newest = [...readLock("schema")].findLast(([, { status }]) => status === "released")![0];
export const next = "2031-01-15";

/** Makes a project with only the newest revision and its notes, and with `next.json`, the changed schema. */
export function projectWith(change: (definitions: Definitions) => void): string {
  const document = JSON.parse(readFileSync(join("schema", newest, "schema.json"), "utf8")) as JsonObject;
  change(document["$defs"] as Definitions);
  return projectOf(document);
}

/** As `projectWith`, with the given schema as `next.json`. */
export function projectOf(document: JsonObject): string {
  const lock = [...readLock("schema")].filter(([revision]) => revision === newest);
  const folder = temporaryFolder({
    "schema/lock.json": lockText({ revisions: new Map(lock), extensions: new Map() }),
  });
  cpSync("schema/docs.json", join(folder, "schema/docs.json"));
  mkdirSync(join(folder, "schema", newest));
  for (const file of ["schema.json", "notes.json"])
    cpSync(join("schema", newest, file), join(folder, "schema", newest, file));
  writeFileSync(join(folder, "next.json"), JSON.stringify(document));
  return folder;
}

/** Runs `upgrade` for the changed schema. */
export function upgrade(folder: string, ...more: readonly string[]): Promise<Ran> {
  return mcpgen(folder, ["upgrade", "next.json", "--name", next, ...more]);
}

/** The members of the report that tests read. */
export interface Report {
  readonly settled: readonly { readonly title: string; readonly items: readonly string[] }[];
  readonly decisions: readonly {
    readonly kind: string;
    readonly title: string;
    readonly file?: string;
    readonly questions: readonly Asked[];
  }[];
  readonly handwritten: readonly {
    readonly kind: string;
    readonly subject: string;
    readonly text: string;
    readonly places: readonly string[];
  }[];
  readonly gateway: readonly { readonly lead: string; readonly subjects: readonly string[] }[];
  readonly notes?: { readonly carried: number };
}

export interface Asked {
  readonly text: string;
  readonly paste: readonly JsonObject[];
  readonly at: string;
}

export async function reportOf(folder: string, ...more: readonly string[]): Promise<Report> {
  const { code, stdout } = await upgrade(folder, "--json", ...more);
  if (code !== 0) throw new Error(stdout);
  return JSON.parse(stdout) as Report;
}

/** Adds a notification of servers. */
export function addNotification(
  definitions: Definitions,
  name: string,
  method: string,
  params: JsonObject,
): void {
  const { jsonrpc } = membersOf(definitions["ToolListChangedNotification"]!) as JsonObject;
  definitions[name] = object({ jsonrpc: jsonrpc!, method: { const: method, type: "string" }, params }, [
    "jsonrpc",
    "method",
  ]);
  withArms(definitions["ServerNotification"]!, name);
}

/** Changes of every kind that a new revision may bring and that a schema does not explain. */
export function everything(definitions: Definitions): void {
  definitions["Event"] = object({ name: text, title: text }, ["name"]);
  definitions["ListEventsResult"] = {
    ...structuredClone(definitions["ListToolsResult"]!),
    properties: {
      ...withoutMember(membersOf(definitions["ListToolsResult"]!), "tools"),
      events: { type: "array", items: reference("Event") },
    },
    required: [
      ...(definitions["ListToolsResult"]!["required"] as string[]).filter((name) => name !== "tools"),
      "events",
    ],
  };
  addRequest(
    definitions,
    "ListEvents",
    "events/list",
    reference("PaginatedRequestParams"),
    reference("ListEventsResult"),
  );
  const named = structuredClone(definitions["GetPromptRequestParams"]!);
  definitions["ReadEventRequestParams"] = {
    ...named,
    properties: { ...withoutMember(membersOf(named), "arguments"), since: text },
  };
  addRequest(
    definitions,
    "ReadEvent",
    "events/read",
    reference("ReadEventRequestParams"),
    reference("Result"),
  );
  addNotification(
    definitions,
    "EventListChangedNotification",
    "notifications/events/list_changed",
    reference("NotificationParams"),
  );
  membersOf(definitions["ServerCapabilities"]!)["events"] = object({ listChanged: { type: "boolean" } });
  membersOf(definitions["SubscriptionFilter"]!)["eventsListChanged"] = { type: "boolean" };

  // A value that the previous revision cannot express, and a member that it does not write.
  definitions["VideoContent"] = object({ type: { const: "video", type: "string" }, data: text }, [
    "type",
    "data",
  ]);
  withArms(definitions["ContentBlock"]!, "VideoContent");
  membersOf(definitions["GetPromptResult"]!)["origin"] = text;
  definitions["GetPromptResult"]!["required"] = [
    ...(definitions["GetPromptResult"]!["required"] as string[]),
    "origin",
  ];

  // Renames a member and a method, and changes the code of an error.
  const { inputSchema, ...others } = membersOf(definitions["Tool"]!);
  definitions["Tool"]!["properties"] = { ...others, parameters: inputSchema! };
  definitions["Tool"]!["required"] = ["name", "parameters"];
  const { method } = membersOf(definitions["CompleteRequest"]!) as { method: JsonObject };
  membersOf(definitions["CompleteRequest"]!)["method"] = { ...method, const: "completion/suggest" };
  const { allOf } = membersOf(definitions["HeaderMismatchError"]!)["error"] as {
    allOf: { properties: JsonObject }[];
  };
  allOf[1]!.properties = { ...allOf[1]!.properties, code: { const: -32050, type: "integer" } };

  // An enum that may grow.
  definitions["Volume"] = { type: "string", enum: ["low", "high"] };
  membersOf(definitions["Event"]!)["volume"] = reference("Volume");
}

function withoutMember(members: { [name: string]: JsonValue }, name: string): JsonObject {
  const { [name]: _, ...rest } = members;
  return rest;
}
