import type { ExactDefinition, SendTable } from "@mcpgen/protocol/model";
import { type Message, type RequestId, isObject } from "../jsonrpc/message.js";
import { locateIssue } from "../schema/locate.js";
import type { Recorded, Side } from "./recording.js";

/** The messages of a revision that each side sends: `clientSends` and `serverSends` of its `methods` module. */
export interface SendTables {
  readonly client: SendTable<"client">;
  readonly server: SendTable<"server">;
}

/** A sent message that the revision does not define so. */
export interface SendIssue {
  readonly from: Side;
  readonly method: string;
  /** Names the definition, the first wrong place, the expected type and the value. */
  readonly message: string;
  /** The message as it was sent. */
  readonly sent: Message;
}

/**
 * Judges all requests, notifications and results of a session by the exact definitions of a revision. A peer reads
 * messages openly, so a member that is wrong only for a strict reader stays unnoticed without this check. Errors and
 * answers to unknown requests are not judged.
 *
 * @throws {SyntaxError} a message is not JSON
 */
export function checkSends(session: Iterable<Recorded>, tables: SendTables): SendIssue[] {
  const pending = { client: new Map<RequestId, string>(), server: new Map<RequestId, string>() };
  const issues: SendIssue[] = [];
  for (const { from, text } of session) {
    const parsed = JSON.parse(text) as Message | Message[];
    for (const sent of Array.isArray(parsed) ? parsed : [parsed]) {
      const judged = definitionsOf(sent, from, tables, pending);
      const message = judged && issueOf(judged, from);
      if (message !== undefined) issues.push({ from, method: judged!.method, message, sent });
    }
  }
  return issues;
}

interface Judged {
  readonly method: string;
  readonly value: unknown;
  /** One of these describes the value. */
  readonly definitions: readonly ExactDefinition[];
}

function definitionsOf(
  sent: Message,
  from: Side,
  tables: SendTables,
  pending: Readonly<Record<Side, Map<RequestId, string>>>,
): Judged | undefined {
  const { requests, notifications, results } = tables[from];
  if ("method" in sent) {
    const { method } = sent;
    if ("id" in sent) pending[from].set(sent.id, method);
    const definition = ("id" in sent ? requests : notifications).get(method);
    return { method, value: sent, definitions: definition ? [definition] : [] };
  }
  const asked = pending[from === "client" ? "server" : "client"];
  const method = sent.id === undefined ? undefined : asked.get(sent.id);
  if (method === undefined || !isObject(sent.result)) return undefined;
  asked.delete(sent.id!);
  return { method, value: sent.result, definitions: results.get(method) ?? [] };
}

function issueOf({ method, value, definitions }: Judged, from: Side): string | undefined {
  if (definitions.length === 0) return `no ${from} sends ${method} at this revision`;
  if (definitions.some((definition) => definition.is(value))) return undefined;
  // The plain result stands first.
  const [{ name, is }] = definitions as readonly [ExactDefinition];
  return `not a ${name}: ${locateIssue(is, value)?.message ?? "the value does not match its definition"}`;
}
