import { type JsonObject, isJsonObject } from "@mcpgen/engine";
import { closest } from "../../diagnostics/suggest.js";
import type { ExactAnswer, ExactDefinition, Issue, Protocol, Side } from "./protocol.js";
import { shortText } from "../../print/terminal-text.js";

/** The verdict on one message. */
export interface Verdict {
  readonly kind: "request" | "notification" | "result" | "error" | "unknown";
  readonly issues: readonly Issue[];
  readonly method?: string;
  /** A response that fits no single open request, so that only its envelope was validated. */
  readonly unpaired?: true;
}

const sides: readonly Side[] = ["client", "server"];

/** A method name for messages, shortened and escaped so that a peer's text cannot leave its quotes. */
export function quoted(method: string): string {
  return JSON.stringify(shortText(method, 80));
}

/** Validates the messages of one transcript, in order. */
export class Judge {
  private readonly protocol: Protocol;
  private readonly open = new OpenRequests();

  constructor(protocol: Protocol) {
    this.protocol = protocol;
  }

  /** @param from the sender, if the transcript names it */
  judge(message: unknown, from?: Side): Verdict[] {
    // Batches exist only in revisions whose schema describes them.
    if (
      Array.isArray(message) &&
      this.protocol.explanations["explainJSONRPCBatchRequest"] &&
      message.length > 0
    ) {
      return message.map((item) => this.single(item, from));
    }
    return [this.single(message, from)];
  }

  private single(message: unknown, from: Side | undefined): Verdict {
    if (!isJsonObject(message))
      return { kind: "unknown", issues: this.envelope(message, ["JSONRPCMessage"]) };
    const kinds = ["method", "result", "error"].filter((member) => member in message);
    if (kinds.length > 1) return this.ambiguous(message, kinds, from);
    if ("method" in message) return this.call(message, from);
    if ("result" in message) return this.result(message, from);
    if ("error" in message) return this.error(message, from);
    const issue = { pointer: "", message: "expected a method, a result or an error, got none of them" };
    return { kind: "unknown", issues: [issue] };
  }

  /**
   * Rejects a message that is several kinds at once (JSON-RPC 2.0, sections 4 and 5). A response still closes
   * its request.
   */
  private ambiguous(message: JsonObject, kinds: readonly string[], from: Side | undefined): Verdict {
    if (!("method" in message)) this.open.take(message["id"], from);
    const issue = {
      pointer: "",
      message: `expected one of method, result and error, got ${kinds.join(" and ")}`,
    };
    return { kind: "unknown", issues: [issue] };
  }

  private call(message: JsonObject, from: Side | undefined): Verdict {
    const kind = "id" in message ? "request" : "notification";
    const method =
      typeof message["method"] === "string" ? message["method"] : JSON.stringify(message["method"]);
    if (kind === "request") this.open.add(message["id"], { method, from });
    const envelope = this.envelope(message, [kind === "request" ? "JSONRPCRequest" : "JSONRPCNotification"]);
    if (envelope.length > 0) return { kind, method, issues: envelope };

    const senders = from === undefined ? sides : [from];
    const definition = senders
      .map((side) => this.table(side, kind).get(method))
      .find((found) => found !== undefined);
    if (!definition) return { kind, method, issues: [this.unknownMethod(method, kind, senders)] };
    if (kind === "request" && this.isPayload(method, senders)) {
      const text = `method: ${quoted(method)} travels inside results in this revision, not as a message`;
      return { kind, method, issues: [{ pointer: "/method", message: text }] };
    }
    return { kind, method, issues: this.definition(definition, message) };
  }

  private result(message: JsonObject, from: Side | undefined): Verdict {
    const envelope = this.envelope(message, ["JSONRPCResultResponse", "JSONRPCResponse"]);
    const request = this.open.take(message["id"], from);
    if (!request) return { kind: "result", issues: envelope, unpaired: true };
    const { method } = request;
    if (envelope.length > 0) return { kind: "result", method, issues: envelope };
    const issues = this.answer(method, request.from, message["result"]!).map(belowResult);
    return { kind: "result", method, issues };
  }

  /** Validates an error response, which is the same for every method. */
  private error(message: JsonObject, from: Side | undefined): Verdict {
    const issues = this.envelope(message, ["JSONRPCErrorResponse", "JSONRPCError"]);
    const request = this.open.take(message["id"], from);
    return request
      ? { kind: "error", issues, method: request.method }
      : { kind: "error", issues, unpaired: true };
  }

  private answer(method: string, requester: Side | undefined, result: unknown): readonly Issue[] {
    const requesters = requester === undefined ? sides : [requester];
    for (const side of requesters) {
      const definitions = this.protocol.sends[side === "client" ? "server" : "client"].results.get(method);
      if (!definitions) continue;
      return this.definition(definitions.find((each) => isMarked(each, result)) ?? definitions[0]!, result);
    }
    return []; // The revision does not know the method, which was reported at the request.
  }

  private definition({ name, is }: ExactDefinition, value: unknown): readonly Issue[] {
    if (is(value)) return [];
    const issues = this.protocol.explanations[`explain${name}`]?.(value) ?? [];
    return issues.length > 0 ? issues : [{ pointer: "", message: `expected ${name}` }];
  }

  /** Validates the JSON-RPC envelope with the first of these definitions that the revision has. */
  private envelope(message: unknown, names: readonly string[]): readonly Issue[] {
    const explain = names
      .map((name) => this.protocol.explanations[`explain${name}`])
      .find((found) => found !== undefined);
    return (
      explain?.(message) ?? (isJsonObject(message) ? [] : [{ pointer: "", message: "expected an object" }])
    );
  }

  private table(side: Side, kind: "request" | "notification"): ReadonlyMap<string, ExactDefinition> {
    const { requests, notifications } = this.protocol.sends[side];
    return kind === "request" ? requests : notifications;
  }

  private isPayload(method: string, senders: readonly Side[]): boolean {
    return senders.some((side) => {
      const reader = this.protocol.receives[side === "client" ? "server" : "client"];
      return reader.incomingRequests.get(method)?.payload === true;
    });
  }

  private unknownMethod(method: string, kind: "request" | "notification", senders: readonly Side[]): Issue {
    const known = senders.flatMap((side) => [...this.table(side, kind).keys()]);
    const suggestion = closest(method, known);
    const sender = senders.length === 1 ? ` that a ${senders[0]} sends` : "";
    const question = suggestion === undefined ? "" : `; did you mean ${JSON.stringify(suggestion)}?`;
    return {
      pointer: "/method",
      message: `method: expected a ${kind} of this revision${sender}, got ${quoted(method)}${question}`,
    };
  }
}

function belowResult({ pointer, message }: Issue): Issue {
  return {
    pointer: `/result${pointer}`,
    message: pointer === "" ? `result: ${message}` : `result.${message}`,
  };
}

interface OpenRequest {
  readonly method: string;
  /** Undefined if the transcript does not name the sender. */
  readonly from: Side | undefined;
}

/**
 * Requests without a response yet. Both sides number their requests independently, so an id may be open
 * twice.
 */
class OpenRequests {
  private readonly byId = new Map<string, OpenRequest[]>();

  add(id: unknown, request: OpenRequest): void {
    const key = JSON.stringify(id);
    this.byId.set(key, [...(this.byId.get(key) ?? []), request]);
  }

  /**
   * Removes and returns the only request that a response from `from` can belong to; undefined if there are
   * several or none.
   */
  take(id: unknown, from: Side | undefined): OpenRequest | undefined {
    const key = JSON.stringify(id);
    const open = this.byId.get(key) ?? [];
    const fitting = open.filter((request) => from === undefined || request.from !== from);
    if (fitting.length !== 1) return undefined;
    this.byId.set(
      key,
      open.filter((request) => request !== fitting[0]),
    );
    return fitting[0];
  }
}

/** Whether a value has the member that marks an alternative to the plain result. */
function isMarked({ key, value: mark }: ExactAnswer, result: unknown): boolean {
  if (key === undefined || !isJsonObject(result) || !Object.hasOwn(result, key)) return false;
  return mark === undefined || result[key] === mark;
}
