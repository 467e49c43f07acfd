import * as methods20241105 from "@mcpgen/protocol/2024-11-05/methods";
import * as methods20250326 from "@mcpgen/protocol/2025-03-26/methods";
import * as methods20250618 from "@mcpgen/protocol/2025-06-18/methods";
import * as methods20251125 from "@mcpgen/protocol/2025-11-25/methods";
import * as methods20260728 from "@mcpgen/protocol/2026-07-28/methods";
import { isJSONRPCMessage as isMessage20241105 } from "@mcpgen/protocol/2024-11-05/validators";
import { isJSONRPCMessage as isMessage20250326 } from "@mcpgen/protocol/2025-03-26/validators";
import { isJSONRPCMessage as isMessage20250618 } from "@mcpgen/protocol/2025-06-18/validators";
import { isJSONRPCMessage as isMessage20251125 } from "@mcpgen/protocol/2025-11-25/validators";
import { isJSONRPCMessage as isMessage20260728 } from "@mcpgen/protocol/2026-07-28/validators";
import type { Judge, SendTable } from "@mcpgen/protocol/model";

// A test reaches deep into what it knows to be there.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Members = { readonly [name: string]: any };

/** A message, as received. */
export interface Wired {
  readonly jsonrpc?: string;
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly _meta?: Members } & Members;
  readonly result?: Members;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Members };
}

interface Sends {
  readonly clientSends: SendTable<"client">;
  readonly serverSends: SendTable<"server">;
  readonly isMessage: Judge;
}

const revisions: { readonly [id: string]: Sends } = {
  "2024-11-05": { ...methods20241105, isMessage: isMessage20241105 },
  "2025-03-26": { ...methods20250326, isMessage: isMessage20250326 },
  "2025-06-18": { ...methods20250618, isMessage: isMessage20250618 },
  "2025-11-25": { ...methods20251125, isMessage: isMessage20251125 },
  "2026-07-28": { ...methods20260728, isMessage: isMessage20260728 },
};

/** Invented methods of tests. */
const vendor = /^(notifications\/)?acme\//;

const newest = Object.keys(revisions).sort().at(-1)!;

/**
 * Validates a message of a client with the exact validators of its revision. Returns the problem, if any.
 *
 * @param negotiated the revision, if the message itself does not name it
 * @param answered the method of the server's request, if the message is an answer
 */
export function problemFromClient(
  message: Wired,
  negotiated?: string,
  answered?: string,
): string | undefined {
  const { method, params, id } = message;
  const named =
    params?._meta?.["io.modelcontextprotocol/protocolVersion"] ??
    (method === "initialize" ? params?.["protocolVersion"] : undefined);
  const revision = String(named ?? negotiated ?? newest);
  const { clientSends, isMessage } = revisions[revision] ?? revisions[newest]!;
  if (!isMessage(message)) return "is no message of the revision";
  if (vendor.test(method ?? answered ?? "")) return undefined;
  if (method === undefined) {
    if (message.error) return undefined;
    const results = answered === undefined ? undefined : clientSends.results.get(answered);
    if (results)
      return results.some(({ is }) => is(message.result)) ? undefined : `is no result of ${answered}`;
    // The answer to a ping.
    return Object.keys(message.result ?? { missing: true }).length === 0
      ? undefined
      : "answers nothing that was asked";
  }
  const table = id === undefined ? clientSends.notifications : clientSends.requests;
  const definition = table.get(method);
  if (!definition) return `is not sent by clients at ${revision}`;
  return definition.is(message) ? undefined : `is no ${definition.name} of ${revision}`;
}

/**
 * Validates a message of a server with the exact validators of a revision. Returns the problem, if any.
 *
 * @param answered the method of the request, if the message is an answer
 */
export function problemFromServer(
  message: Wired,
  revision: string,
  answered: string | undefined,
): string | undefined {
  const { serverSends, isMessage } = revisions[revision]!;
  if (!isMessage(withId(message))) return `is no message of ${revision}`;
  const { id, method, result, error } = message;
  if (result !== undefined && error !== undefined) return "is a result and an error at once";
  if (error) return undefined;
  if (method === undefined) {
    const results = answered === undefined ? undefined : serverSends.results.get(answered);
    if (results)
      return results.some(({ is }) => is(result)) ? undefined : `is no result of ${answered} at ${revision}`;
    return answered === undefined ? "answers nothing that was asked" : undefined;
  }
  const table = id === undefined ? serverSends.notifications : serverSends.requests;
  const definition = table.get(method);
  if (vendor.test(method) && (id === undefined || revision < "2026")) return undefined;
  // A request that occurs only in results is not a separate message.
  if (!definition || (id !== undefined && revision >= "2026")) return `is not sent by servers at ${revision}`;
  return definition.is(message) ? undefined : `is no ${definition.name} of ${revision}`;
}

/**
 * Adds an id to the error of an unreadable request, which has none (JSON-RPC 2.0 demands null, MCP forbids
 * it). Only later revisions describe this, so that the rest can be validated.
 */
function withId(message: Wired): Wired {
  return message.error && message.id === undefined ? { ...message, id: 0 } : message;
}
