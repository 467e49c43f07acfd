import type { RequestId } from "@mcpgen/runtime";
import {
  classify,
  isObject,
  jsonOr,
  type LostCause,
  malformedMember,
  type Members,
  type RequestMessage,
} from "@mcpgen/base";
import { AuthenticationCodes, codeLength } from "../codes/authentication-codes.js";
import type { Link } from "./link.js";
import { relayChannel } from "./messages.js";

/** A message about one request that another process answers. */
export interface RelayMessage {
  /** Name of the sender. */
  readonly from: string;
  /** The request, by a number of the process that has its client. */
  readonly id: number;
  /**
   * The request. Other messages between processes may not contain one. This one has passed the authorization of the endpoint
   * of the sender, and the code of the message proves that a process of this cluster sent it.
   */
  readonly request?: RequestMessage;
  /** Who sent the request; comes with it. */
  readonly caller?: Caller;
  /** The client of the request is gone. */
  readonly gone?: boolean;
  /** A notification that belongs to the request. */
  readonly text?: string;
  /** The response. */
  readonly answer?: string;
  /** The code of a response that is an error. */
  readonly code?: number;
  /** The request gets no answer of the receiver. */
  readonly lost?: LostCause;
}

/** The client of a request, as the process knows it that authorized the request. */
export interface Caller {
  readonly principal: string;
  /** What `authenticate` returned, as JSON. */
  readonly auth?: unknown;
  /** Path and query, or a whole URL. */
  readonly url: string;
  readonly address?: string | undefined;
  /** The headers that handlers see. */
  readonly passed?: Readonly<Record<string, string>> | undefined;
}

const members: Members = {
  ...{ from: "text", id: "amount", request: "object", caller: "object", gone: "boolean" },
  ...{ text: "text", answer: "text", code: "number", lost: "text" },
};
const callerMembers: Members = {
  ...{ principal: "string", url: "string", address: "string", passed: "object" },
};
const causes: Readonly<Record<LostCause, true>> = { expired: true, cancelled: true, "not-here": true };

/** Sends and reads messages about requests that another process answers. Each has a code, made with the keys of the cluster. */
export class RelayChannel {
  readonly #link: Link;
  readonly #codes: AuthenticationCodes;
  /** Messages that the store has not taken yet. */
  readonly #sending = new Set<Promise<boolean>>();

  constructor(link: Link, keys: readonly string[]) {
    this.#link = link;
    this.#codes = new AuthenticationCodes(keys, "mcp relayed request");
  }

  /**
   * Sends a message. Resolves with `false` if the process is not connected to the store.
   *
   * @throws {McpError} `store-failed`
   */
  async send(to: string, message: Omit<RelayMessage, "from">): Promise<boolean> {
    const channel = relayChannel(to);
    const text = JSON.stringify({ ...message, from: this.#link.name } satisfies RelayMessage);
    const sending = this.#link
      .publish(channel, this.#codes.codeOf(signed(channel, text)) + text)
      .then((count) => count > 0);
    this.#sending.add(sending);
    try {
      return await sending;
    } finally {
      this.#sending.delete(sending);
    }
  }

  /** Parses a message to this process. Returns `undefined` for any other text. */
  messageOf(text: string): RelayMessage | undefined {
    const [code, json] = [text.slice(0, codeLength), text.slice(codeLength)];
    if (this.#codes.secretOf(signed(relayChannel(this.#link.name), json), code) < 0) return undefined;
    const found = jsonOr(json);
    if (!isObject(found) || malformedMember(found, members, ["from", "id"])) return undefined;
    const message = found as unknown as RelayMessage;
    const { request, caller, text: sent, lost } = message;
    const isWhole =
      (!request || (classify(request) === "request" && caller !== undefined && isCaller(caller))) &&
      (sent === undefined || classify(jsonOr(sent)) === "notification") &&
      (lost === undefined || Object.hasOwn(causes, lost));
    return isWhole ? message : undefined;
  }

  /** Resolves when the store has taken or refused all messages. */
  async sent(): Promise<void> {
    await Promise.allSettled(this.#sending);
  }
}

/** The text that a code authenticates. With the channel, a copy of a message on another channel has a wrong code. */
function signed(channel: string, text: string): string {
  return `${channel}\n${text}`;
}

function isCaller(caller: Caller): boolean {
  return malformedMember(caller, callerMembers, ["principal", "url"]) === undefined;
}

/** Whether a text is a response to a request. */
export function answers(text: string, id: RequestId): boolean {
  const message = jsonOr(text);
  return classify(message) === "response" && (message as { readonly id?: unknown }).id === id;
}
