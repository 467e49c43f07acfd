import type { MethodFacts } from "@mcpgen/protocol/model";
import type { Connection } from "../../client/connection.js";
import { type LegacyAttach, listKinds, possible } from "../../client/subscriptions.js";
import type { McpError } from "@mcpgen/base";
import { isGranted } from "../../protocol/revision-view.js";

/** The number of subscriptions of a connection per URI. The server knows one subscription per URI. */
const watchers = new WeakMap<Connection, Map<string, number>>();

/** Adds or removes one subscription of a URI. Returns the number of subscriptions. */
function count(connection: Connection, uri: string, change: 1 | -1): number {
  const counts = watchers.get(connection) ?? new Map<string, number>();
  watchers.set(connection, counts);
  const now = (counts.get(uri) ?? 0) + change;
  counts.set(uri, now);
  return now;
}

/**
 * Subscribes in the legacy era: one `resources/subscribe` per URI. Servers send `list_changed` notifications without a
 * subscription.
 */
export const attachLegacy: LegacyAttach = async (client, connection, wanted, push) => {
  const { view, capabilities } = connection.negotiated;
  const offered = (entry: MethodFacts | undefined): boolean =>
    entry !== undefined && isGranted(entry, "server", capabilities);
  const { incomingNotifications, outgoingRequests } = view.table;
  const kinds = listKinds.filter(
    (kind) => wanted[kind] && offered(incomingNotifications.get(`notifications/${kind}/list_changed`)),
  );
  const uris = offered(outgoingRequests.get("resources/subscribe")) ? (wanted.uris ?? []) : [];
  const asked = new Set(uris);
  const honoured = {
    ...Object.fromEntries(kinds.map((kind) => [kind, true])),
    ...(uris.length > 0 ? { uris } : {}),
  };
  const watched: string[] = [];
  let settle: (why: McpError | undefined) => void = () => {};
  const over = new Promise<McpError | undefined>((resolve) => (settle = resolve));
  const end = (why?: McpError): void => {
    for (const off of offs) off();
    settle(why);
  };
  const offs = [
    ...kinds.map((kind) => client.on(`notifications/${kind}/list_changed`, (_, method) => push({ method }))),
    client.on("notifications/resources/updated", ({ uri }, method) => {
      if (asked.has(uri as string)) push({ method, uri: uri as string });
    }),
  ];
  offs.push(connection.whenClosed(end));
  const detach = async (): Promise<void> => {
    end();
    if (!outgoingRequests.has("resources/unsubscribe")) return;
    // After the connection has closed, the server has no more subscriptions to cancel.
    while (watched.length > 0 && !connection.over) {
      const uri = watched.pop()!;
      if (count(connection, uri, -1) === 0) await client.request("resources/unsubscribe", { uri });
    }
  };
  try {
    for (const uri of uris) {
      await client.request("resources/subscribe", { uri });
      count(connection, uri, 1);
      watched.push(uri);
    }
    if (connection.over) throw connection.over;
  } catch (error) {
    await detach().catch(() => undefined);
    throw error;
  }
  return { honoured, possible: possible(honoured), over, detach };
};
