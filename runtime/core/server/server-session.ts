import type {
  ClientCapabilities,
  CreateMessageResult,
  Implementation,
  ListRootsResult,
} from "@mcpgen/protocol/authoring";
import type { Era } from "@mcpgen/protocol/model";
import { type Asked, McpError, type Names, type Params, requireKnown } from "@mcpgen/base";
import { type LogLevel, logMessage } from "../protocol/meta.js";
import type { MessageSchema } from "../schema/schema-type.js";
import { askClient } from "./ask.js";
import type { ServerConnection } from "./connection.js";
import type { SamplingParams, ServerSession, SessionRequestOptions } from "./context.js";
import type { RequestContext } from "./request.js";
import type { RequestProtocol, Session } from "./server-definition.js";

const requestOptions: Names<SessionRequestOptions> = {
  signal: 0,
  timeout: 0,
  totalTimeout: 0,
  onProgress: 0,
  checkAnswers: 0,
};

/** The client of a connection, for handlers and the application. */
export class ConnectedSession implements ServerSession {
  readonly revision: string;
  readonly era: Era;
  readonly clientInfo: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
  readonly principal: string;
  readonly #connection: ServerConnection;
  readonly #protocol: RequestProtocol;
  /** Without a session, the request to which the client object belongs. */
  readonly #context: RequestContext | undefined;
  #closed: Promise<void> | undefined;

  constructor(connection: ServerConnection, protocol: RequestProtocol, context: RequestContext | undefined) {
    this.#connection = connection;
    this.#protocol = protocol;
    this.#context = context;
    const { revision, clientInfo, clientCapabilities } = protocol;
    this.revision = revision.id;
    this.era = revision.era;
    this.clientInfo = clientInfo;
    this.clientCapabilities = clientCapabilities;
    this.principal = connection.principal;
  }

  get id(): string | undefined {
    return this.#connection.sessionId;
  }

  /** The state of the session, unless the client belongs to a request of the modern era. */
  get #session(): Session | undefined {
    return this.era === "legacy" ? this.#connection.session : undefined;
  }

  get data(): unknown {
    const data = this.#session?.data;
    return data === undefined ? undefined : JSON.parse(data);
  }

  async setData(data: unknown): Promise<void> {
    const session = this.#session;
    if (!session) throw new McpError("missing-capability", "setData: there is no session to keep data with");
    await session.era.keep(this.#connection, session, data);
  }

  get closed(): Promise<void> {
    return (this.#closed ??= new Promise((resolve) => this.#connection.onEnd(resolve)));
  }

  async ping(options?: SessionRequestOptions): Promise<void> {
    await this.request("ping", undefined, options);
  }

  async request(
    method: string,
    params?: object,
    {
      result,
      checkAnswers = true,
      ...options
    }: SessionRequestOptions & { readonly result?: MessageSchema } = {},
  ): Promise<never> {
    requireKnown(options, requestOptions);
    const connection = this.#connection;
    const protocol = this.#protocol;
    const { revision } = protocol;
    const reason = protocol.era.noRequests ?? protocol.unasked;
    if (reason !== undefined)
      throw new McpError(
        "missing-capability",
        `${method}: ${reason}. Use context.ask, and subscriptions for changes`,
      );
    const schemas = result && connection.definition.schemas();
    const signal = options.signal as never;
    // The middleware of this package also needs `connection` and `protocol` (`InternalContext`).
    const context = { revision: revision.id, signal, session: this, connection, protocol };
    const facts = { context, answered: false };
    const send = (asked: Asked) => connection.ask({ revision, method, params: asked.params }, options);
    const asked = { method, params: params as Params };
    const answer = await askClient(method, facts, asked, { send, checkAnswers });
    return (schemas ? await schemas.result(method, result!, answer) : answer) as never;
  }

  notify(method: string, params?: object): void {
    const given = params as Params;
    if (this.#context) this.#context.send(method, given);
    else {
      const session = this.#protocol as Session;
      session.era.notify(this.#connection, session, method, given);
    }
  }

  log(level: LogLevel, data: unknown, logger?: string): void {
    if (this.#context) this.#context.log(level, data, logger);
    else this.#connection.notify(this.#protocol, logMessage, { level, data: data ?? null, logger });
  }

  async listRoots(options?: SessionRequestOptions): Promise<ListRootsResult["roots"]> {
    return ((await this.request("roots/list", undefined, options)) as ListRootsResult).roots;
  }

  sample(params: SamplingParams, options?: SessionRequestOptions): Promise<CreateMessageResult> {
    return this.request("sampling/createMessage", params, options);
  }

  elicit(params: object, options?: SessionRequestOptions): Promise<never> {
    return this.request("elicitation/create", { mode: "form", ...params }, options);
  }
}
