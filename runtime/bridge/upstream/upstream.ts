import { internalError, invalidParams, isMcpError, McpError, type Params } from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import type { ClientCapabilities, Implementation } from "@mcpgen/protocol/authoring";
import type { RequestOptions } from "@mcpgen/protocol/model";
import type {
  AnswerContext,
  Authorize,
  Authorizer,
  Client,
  HandlerContext,
  LogLevel,
  ServerSession,
} from "@mcpgen/runtime";
import { connect } from "@mcpgen/runtime/all";
import { subscriptionId, withoutClient, withoutEnvelope } from "./envelope.js";
import { type Back, allowedOf } from "./options.js";
import { questionsOf } from "./questions.js";

/** The client for which an upstream is opened. */
export interface Caller {
  /** Name of the authenticated client. */
  readonly principal: string;
  readonly clientInfo: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
  readonly logLevel: LogLevel | undefined;
  /** Whether it gets the connection alone, for a call at least. */
  readonly isAlone: boolean;
  /** The session that gets it alone, if one does. */
  readonly session: ServerSession | undefined;
}

/** How a request goes on. */
export interface Relaying {
  /** Whether no table may have its method. */
  readonly isOther?: boolean;
  /** Milliseconds for its answer. Default: the client of the bridge decides. */
  readonly timeout?: number;
}

/** A request of the bridge's client in whose course its server sent something. */
type Origin = AnswerContext["request"];

/** The identity of a bridge: of several servers, and where servers do not see that of its clients. */
export const identity: Implementation = { name: "mcpgen-bridge", version: "0.1.0" };

/** Milliseconds: the client of the bridge decides how long a call may take, and cancels it. */
export const longTimeouts = { timeout: 3_600_000, totalTimeout: 86_400_000 };

/** Milliseconds in which a server whose call was given up answers a ping, or counts as hanging. */
const pingMs = 10_000;

/** The methods of changes, which subscriptions follow. */
const changes: ReadonlySet<string> = new Set([
  "notifications/tools/list_changed",
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
  "notifications/resources/updated",
]);

/** A connection with the server behind a bridge, and the calls of clients that run on it. */
export class Upstream {
  readonly client: Client;
  /** It serves one caller, or one call: all that the server sends without a visible request belongs to them. */
  isOwned: boolean;
  /** The server may keep answers of its caller: another one must not get it. */
  isMarked = false;
  readonly #back: Back;
  readonly #session: ServerSession | undefined;
  /** Its caller is neither a session nor a client with a name. */
  readonly isOfAnyone: boolean;
  /** The running calls, by the options of their requests. */
  readonly #calls = new Map<RequestOptions, HandlerContext>();
  #asked = 0;
  #begin!: () => void;
  /** Its first call has begun. */
  readonly #begun = new Promise<void>((resolve) => (this.#begin = resolve));

  private constructor(back: Back, client: Client, { isAlone, session, principal }: Caller) {
    this.#back = back;
    this.client = client;
    this.isOwned = isAlone;
    this.#session = session;
    this.isOfAnyone = !session && principal === "";
  }

  /** Whether each request states its client: there is no session with the server. */
  get isModern(): boolean {
    return this.client.era === "modern";
  }

  /** Connects to a server. @throws {McpError} as `connect` */
  static async open(back: Back, caller: Caller, signal: AbortSignal): Promise<Upstream> {
    // The server may ask before the connection is open.
    let upstream!: Upstream;
    const answer = (method: string, params: object, context: AnswerContext): Promise<never> =>
      upstream.#answer(method, params as Params, context) as Promise<never>;
    const { name, bridge } = back;
    await connect(back.source, {
      signal,
      ...(back.revision !== undefined && { revision: back.revision }),
      ...(bridge.contract && { contract: bridge.contract }),
      ...(caller.logLevel !== undefined && { logLevel: caller.logLevel }),
      ...(back.authorize && { http: { authorize: authorizerOf(back, caller) } }),
      ...questionsOf(back, caller, answer),
      info: infoOf(back, caller) ?? identity,
      timeouts: longTimeouts,
      limits: { maxQuestions: 1000, maxCacheBytes: 0 },
      validation: { checkAnswers: false, send: "off" },
      onEvent: (event) => bridge.onEvent?.({ ...event, server: name }),
      prepare: (client) => {
        upstream = new Upstream(back, client, caller);
        client.handle("*", (params, context) => answer(context.method, params, context));
        client.on("*", (params, method, origin) => upstream.#notified(method, params, origin));
      },
    });
    return upstream;
  }

  /** Whether no call runs on it. */
  get isIdle(): boolean {
    return this.#calls.size === 0;
  }

  /**
   * Sends a request of a client on, and passes its progress back.
   *
   * @throws {McpError} the error that the server sent; `method-not-found`: it has no such method; `internal-error`: it did not answer
   */
  async request(
    method: string,
    params: Params,
    context: HandlerContext,
    { isOther, timeout }: Relaying = {},
  ): Promise<Params> {
    const options = {
      ...this.#optionsOf(params, context),
      ...(isOther && { result: {} }),
      ...(timeout !== undefined && { timeout, totalTimeout: timeout }),
    };
    this.#calls.set(options, context);
    this.#begin();
    try {
      const result = await this.client.request<Params>(method, withoutClient(params), options);
      return context.session.era === "legacy" ? withoutEnvelope(result) : this.#withPrivacy(result);
    } catch (error) {
      if (context.signal.aborted) {
        this.isMarked = true;
        void this.#probe();
      }
      const failure = failureOf(this.#back, method, error);
      const isAnswered = context.session.era === "legacy" && params["inputResponses"] !== undefined;
      const refusal = isAnswered ? refusalOf(method, failure) : undefined;
      if (refusal) return refusal;
      throw failure;
    } finally {
      this.#calls.delete(options);
    }
  }

  /** A result that the server lets everyone cache, although it may depend on a login (2026-07-28, caching, security). */
  #withPrivacy(result: Params): Params {
    const isPublic = this.#back.authorize && result["cacheScope"] === "public";
    return isPublic ? { ...result, cacheScope: "private" } : result;
  }

  #optionsOf({ _meta }: Params, context: HandlerContext): RequestOptions {
    const back = this.#back;
    const { signal, headers, clientInfo, clientCapabilities, logLevel } = context;
    const passed = (back.bridge.headers ?? []).flatMap((name) => {
      const value = headers[name.toLowerCase()];
      return value === undefined ? [] : [[name.toLowerCase(), value] as const];
    });
    return {
      signal,
      inputRequired: "return",
      onDisconnect: (retryMs) => context.disconnect(retryMs),
      ...(_meta?.["progressToken"] !== undefined && {
        onProgress: ({ progress, total, message }) => context.progress(progress, total, message),
      }),
      ...(passed.length > 0 && isHttp(back) && { headers: Object.fromEntries(passed) }),
      ...(this.isModern && {
        onBehalfOf: {
          clientInfo: infoOf(back, { clientInfo }),
          clientCapabilities: allowedOf(back, clientCapabilities),
          logLevel,
        },
      }),
    };
  }

  /** The call, or else the session, to which something of the server belongs; `undefined`: it is not known. */
  #ownerOf(origin: Origin): HandlerContext | ServerSession | undefined {
    const running = origin ? this.#calls.get(origin.options) : undefined;
    if (running ?? !this.isOwned) return running;
    // A call that is over may have been that of another caller.
    return (origin ? undefined : [...this.#calls.values()].at(-1)) ?? this.#session;
  }

  /** Passes a question of the server to the client whose call it belongs to, and returns the answer. */
  async #answer(method: string, params: Params, { request, signal }: AnswerContext): Promise<Params> {
    // A server that asks as soon as it is connected asks the client for which that was done.
    if (this.isOwned && !this.#session) await this.#begun;
    const owner = this.#ownerOf(request);
    if (!owner)
      throw new McpError(
        "missing-capability",
        `${method}: the connection is shared, and nothing shows which client is asked`,
        { rpcCode: rpc.methodNotFound },
      );
    if (method === "roots/list") this.isMarked = true;
    const asked = withoutClient(params);
    if ("ask" in owner)
      return owner.ask.request(
        `${this.#back.name} ${++this.#asked}`,
        { method, params: asked },
        { checkAnswers: false },
      );
    return owner.request(method, asked, { signal, checkAnswers: false }) as Promise<Params>;
  }

  #notified(method: string, params: Params, origin: Origin): void {
    if (changes.has(method) || params._meta?.[subscriptionId] !== undefined) return;
    this.#ownerOf(origin)?.notify(method, params);
  }

  /** Closes the connection if its server hangs, so that the next call gets another one. */
  async #probe(): Promise<void> {
    try {
      await this.client.ping({ timeout: pingMs, totalTimeout: pingMs });
    } catch (error) {
      // A server that answers with an error is alive.
      if (!isMcpError(error) || !error.remote) await this.close();
    }
  }

  async close(): Promise<void> {
    await this.client.close().catch(() => undefined);
  }
}

/** The error for a client of the bridge. */
export function failureOf({ name }: Back, method: string, error: unknown): unknown {
  if (!isMcpError(error) || error.remote) return error;
  const { code, rpcCode, message } = error;
  if (code === "method-not-found" || code === "missing-capability")
    return new McpError("method-not-found", `there is no method ${JSON.stringify(method)}`, {
      rpcCode: rpc.methodNotFound,
    });
  // The tool, or another entry, is not as its contract says: for the client there is none.
  if (code === "contract-drift") return invalidParams(message);
  if (code === "cancelled" || (rpcCode !== undefined && rpcCode !== rpc.internalError)) return error;
  // Texts of lost connections may name programs, files and hosts: they go to the operator alone.
  const isOfAnswer = code === "invalid-result" || code === "not-expressible";
  return internalError(isOfAnswer ? message : `the server ${name} did not answer: ${code}`, error);
}

/**
 * The result of a tool whose server refused an answer: where the server asks by requests, a handler fails for it, and the model reads
 * why.
 */
function refusalOf(method: string, failure: unknown): Params | undefined {
  if (method !== "tools/call" || !isMcpError(failure) || failure.rpcCode !== rpc.invalidParams)
    return undefined;
  return { isError: true, content: [{ type: "text", text: failure.remote?.message ?? failure.message }] };
}

/** Whether the connection shows in whose course the server sends something. */
export function isHttp({ source }: Back): boolean {
  return typeof source === "string" && /^https?:/i.test(source);
}

function infoOf({ bridge }: Back, { clientInfo }: Pick<Caller, "clientInfo">): Implementation | undefined {
  return bridge.identity === "bridge" ? identity : clientInfo;
}

function authorizerOf({ authorize }: Back, { principal }: Caller): Authorize | Authorizer {
  return typeof authorize === "function" ? authorize(principal) : authorize!;
}
