import type { ClientCapabilities, Implementation } from "@mcpgen/protocol/authoring";
import { invalidParams, isObject, McpError, mostReserved, type Params, weightOf } from "@mcpgen/base";
import { declaredIn, isGranted } from "../../protocol/revision-view.js";
import type { ServerConnection } from "../../server/connection.js";
import { type RequestContext, beforeHandshake, jsonOnly, logLevelOf } from "../../server/request.js";
import type { LegacyEra, Session } from "../../server/server-definition.js";
import { requestClient } from "./client-requests.js";
import { forgetRoots, rootsChanged } from "./kept-roots.js";

/** The notification that ends the handshake (2025-11-25 and before, lifecycle, initialization). */
const readyMethod = "notifications/initialized";

/** A handshake opens a session. */
export const legacyEra: LegacyEra = {
  finish: (result) => result,
  // A task in place of the result (2025-11-25, tasks, creating tasks).
  isAlternative: ({ task }, { request, protocol }) =>
    isObject(task) &&
    isObject(request.params?.["task"]) &&
    protocol.revision.table.incomingRequests.has("tasks/result"),
  // Sends asks as requests of the server (2025-11-25 and before).
  sendAsk: ({ connection, protocol, request, signal }, { asked: { method, params } }, options) =>
    connection.ask({ revision: protocol.revision, method, params }, { ...options, signal }, request.id),
  methods: [
    ["initialize", initialize],
    ["ping", () => ({})],
    ["logging/setLevel", setLevel],
  ],
  request: requestClient,
  keep,
  changed(connection, session, { method, uri, params }) {
    if (uri !== undefined && !session.watched?.has(uri)) return;
    const facts = session.revision.table.outgoingNotifications.get(method) ?? {};
    if (!isGranted(facts, "server", session.declared) || connection.hears?.() === false) return;
    const sent = params ?? (uri === undefined ? uri : { uri });
    notify(connection, session, method, sent, params ?? method + uri);
  },
  notify,
  heard(connection, session, method) {
    if (method === readyMethod && !session.ready) {
      session.ready = true;
      for (const send of session.held?.values() ?? []) send();
      session.held &&= undefined;
      connection.sendHeld();
    }
    if (method === rootsChanged) forgetRoots(connection, session);
  },
};

/**
 * Sends a notification that belongs to no request, once the client is initialized. @param key notifications with the
 * same key are sent only once
 */
function notify(
  connection: ServerConnection,
  session: Session,
  method: string,
  params: Params | undefined,
  key: unknown = {},
): void {
  const send = (): void => void connection.notify(session, method, params);
  if (session.ready) send();
  else (session.held ??= new Map()).set(key, send);
}

function initialize(params: Params, context: RequestContext): Params {
  const { connection, protocol } = context;
  const { definition } = connection;
  const declared = definition.capabilities(protocol.revision.id);
  const clientCapabilities = declaredIn(
    context.request.params?.["capabilities"],
    params["capabilities"],
  ) as ClientCapabilities;
  const clientInfo = shortened(params["clientInfo"] as Params) as unknown as Implementation;
  const weight = weightOf([clientCapabilities, clientInfo], mostDeclared);
  if (weight > mostDeclared)
    throw invalidParams(`params.capabilities: more than ${mostDeclared} bytes in memory`);
  definition.followChanges();
  connection.reserve(weight);
  if (connection.session) connection.release(connection.session.weight);
  // Named members come first: an object that begins as a copy takes more memory, and there may be 10,000 sessions.
  connection.session = {
    weight,
    // Until the client sets a level, the server chooses (logging): it sends every level.
    logLevel: "debug",
    ready: false,
    declared,
    clientInfo,
    ...beforeHandshake(definition, protocol.revision),
    clientCapabilities,
  };
  return {
    protocolVersion: protocol.revision.id,
    capabilities: declared,
    serverInfo: definition.info,
    instructions: definition.instructions,
  };
}

function setLevel({ level }: Params, { connection }: RequestContext): Params | Promise<Params> {
  const least = logLevelOf(level);
  if (connection.session) connection.session.logLevel = least;
  return saved(connection);
}

/** Maximum bytes of the data of the application, as JSON in UTF-8. */
const mostData = 16_384;

async function keep(connection: ServerConnection, session: Session, data: unknown): Promise<void> {
  if (connection.isSealed?.())
    throw new McpError(
      "not-expressible",
      "setData: the id of the session holds its data: set it in middleware around initialize",
    );
  const text = JSON.stringify(jsonOnly("the data of a session", data)) as string | undefined;
  if (text !== undefined && new TextEncoder().encode(text).length > mostData)
    throw new McpError("limit-exceeded", `setData: the data has more than ${mostData} bytes as JSON`);
  const weigh = (kept: string | undefined): number => (kept === undefined ? 0 : weightOf(kept, mostReserved));
  const more = weigh(text) - weigh(session.data);
  if (more > 0) connection.reserve(more);
  else connection.release(-more);
  session.weight += more;
  session.data = text;
  await connection.save?.();
}

/** An empty result, after the session is stored. */
export function saved(connection: ServerConnection): Params | Promise<Params> {
  return connection.save?.().then(() => ({})) ?? {};
}

/** Maximum bytes of a client's capabilities and description in memory. */
const mostDeclared = 65_536;

/** Maximum bytes of a `clientInfo` that is kept whole. */
const mostInfo = 16_384;

/** Maximum number of members of a larger `clientInfo` that are kept, and of characters of their texts. */
const mostMembers = 8;
const longestText = 1024;

/** Drops the long members of a large `clientInfo`, such as icons: it is for display only. */
function shortened(info: Params): Params {
  if (weightOf(info, mostInfo) <= mostInfo) return info;
  const kept = Object.entries(info).flatMap(([key, value]) => {
    const short = typeof value === "string" ? value.slice(0, longestText) : value;
    return weightOf([key, short], 4 * longestText) <= 4 * longestText ? [[key, short] as const] : [];
  });
  // A slice would keep the whole text in memory.
  return JSON.parse(JSON.stringify(Object.fromEntries(kept.slice(0, mostMembers)))) as Params;
}
