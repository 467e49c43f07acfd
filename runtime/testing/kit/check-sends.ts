import type { SendTable } from "@mcpgen/protocol/model";
import { isObject, type Message, type RequestId } from "@mcpgen/base";
import { wrongPlace } from "@mcpgen/runtime/extending";
import type { Recorded, Side } from "./recording.js";

/** The messages of a revision that each side sends: `clientSends` and `serverSends` of its `methods` module. */
export interface SendTables {
  readonly client: SendTable<"client">;
  readonly server: SendTable<"server">;
}

/** A sent message that does not match the revision's definition. */
export interface SendIssue {
  readonly from: Side;
  readonly method: string;
  /** Names the definition, the first wrong place, the expected type and the value. */
  readonly message: string;
  /** The message as it was sent. */
  readonly sent: Message;
}

/**
 * Checks all requests, notifications and results of a session against the exact definitions of a revision. Peers read
 * messages tolerantly, so without this check, an error that only a strict reader refuses stays unnoticed. Errors and
 * answers to unknown requests are not checked.
 *
 * @throws {SyntaxError} a message is not JSON
 */
export function checkSends(session: Iterable<Recorded>, tables: SendTables): SendIssue[] {
  const pending = { client: new Map<RequestId, string>(), server: new Map<RequestId, string>() };
  const issues: SendIssue[] = [];
  for (const { from, text } of session) {
    const parsed = JSON.parse(text) as Message | Message[];
    for (const sent of Array.isArray(parsed) ? parsed : [parsed]) {
      const { kind, method, value } = judgedOf(sent, from, pending);
      const message = method === undefined ? undefined : issueOf(tables[from], kind, method, value);
      if (message !== undefined) issues.push({ from, method: method!, message, sent });
    }
  }
  return issues;
}

interface Judged {
  readonly kind: "requests" | "notifications" | "results";
  /** Absent if the message is not checked. */
  readonly method: string | undefined;
  readonly value: unknown;
}

function judgedOf(
  sent: Message,
  from: Side,
  pending: Readonly<Record<Side, Map<RequestId, string>>>,
): Judged {
  if ("method" in sent) {
    const { method } = sent;
    if ("id" in sent) pending[from].set(sent.id, method);
    return { kind: "id" in sent ? "requests" : "notifications", method, value: sent };
  }
  const asked = pending[from === "client" ? "server" : "client"];
  const { id, result } = sent;
  const answered = id === undefined || !isObject(result) ? undefined : asked.get(id);
  if (answered !== undefined) asked.delete(id!);
  return { kind: "results", method: answered, value: result };
}

function issueOf(table: SendTable, kind: Judged["kind"], method: string, value: unknown): string | undefined {
  if (!table[kind].has(method)) return `no ${table.role} sends ${method} at this revision`;
  const wrong = table.find(kind, method, value);
  return wrong && `not a ${wrong.definition.name}: ${wrongPlace(wrong).message}`;
}
