import {
  type JsonObject,
  type JsonValue,
  type Schema,
  isJsonObject,
  Explainer,
  PatternBudget,
  SchemaError,
  formats,
  readDocument,
} from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { type Captured, capture } from "../../capture/capture.js";
import { SentTools } from "../../capture/sent-tools.js";
import type { LiveTasks } from "../../capture/live-tasks.js";
import type { LiveClient, Runtime } from "../../capture/runtime.js";
import { isRuntimeError } from "../../capture/server-error.js";
import type { ServerLink } from "../../capture/server-link.js";
import { kindOfServer } from "../../capture/server-source.js";
import { type ServerOptions, openServer } from "../../capture/with-server.js";
import type {
  CallAnswer,
  CallRequest,
  ConnectionEvent,
  Issue,
  Offer,
  PageEvent,
} from "../../page/browser/dev/messages.js";
import type { HostLimits } from "../host-limits.js";
import { Calls } from "./calls.js";
import { plainOffer, schemaOf } from "./offer.js";
import { BadRequest } from "./page-server.js";
import { Questions } from "./questions.js";
import { type JudgeMessage, WireLog } from "./wire-log.js";

export interface PageSessionOptions {
  readonly runtime: Runtime;
  /** Tasks of the session's clients. */
  readonly tasks: LiveTasks;
  readonly source: string;
  readonly limits: HostLimits;
  readonly server: ServerOptions;
  readonly send: (event: PageEvent) => void;
  readonly judgeOf: (revision: string) => JudgeMessage | undefined;
  /** The methods of the requests that a client of a revision can send; undefined if they are not known. */
  readonly requestsOf: (revision: string) => readonly string[] | undefined;
  /** Adds findings to the server's offer. */
  readonly judged: (offer: Offer, captured: Captured, sent: SentTools) => Promise<Offer>;
}

const changing = ["tools", "resources", "prompts"];
const listChanges = changing.map((list) => `notifications/${list}/list_changed`);

/** The session of the page. Its client reconnects after each restart of the server. */
export class PageSession {
  readonly wire: WireLog;
  readonly questions: Questions;
  readonly calls: Calls;
  readonly #options: PageSessionOptions;
  #link: ServerLink | undefined;
  #client: LiveClient | undefined;
  #captured: Captured | undefined;
  #judge = new ValueJudge();
  #sent = new SentTools();
  #offer: Offer = noOffer;
  /** The only revision to use. */
  #wanted: string | undefined;
  #version = 0;
  #over = false;
  /** Serialises restarts. */
  #turn: Promise<void> = Promise.resolve();

  constructor(options: PageSessionOptions) {
    const { send, judgeOf, runtime, tasks, limits } = options;
    this.#options = options;
    this.#wanted = options.server.revision;
    this.questions = new Questions(send, () => runtime.userRejected());
    this.calls = new Calls({
      ...{ send, tasks },
      ended: () => limits.forget(),
      structured: (tool, content) => this.#structuredIssues(tool, content),
    });
    this.wire = new WireLog({
      ...{ send, judgeOf },
      heard: (from, text) => {
        limits.heard(from, text);
        this.#sent.heard(text);
      },
      // A client reconnects by itself when the page sends the next request.
      began: () => {
        if (!this.#client) return;
        this.#report("connected");
        this.#hearChanges(this.#client);
      },
      ended: (reason) => {
        this.questions.end();
        this.#report("ended", { reason: reason?.message ?? "the server has closed its output" });
      },
    });
  }

  get isRunning(): boolean {
    return this.#client !== undefined;
  }

  get offer(): Offer {
    return this.#offer;
  }

  /** Ends a running server and connects to the next one. @throws CodedError if it does not respond */
  restart(): Promise<void> {
    const done = this.#turn.then(() => this.#restart());
    this.#turn = done.catch(() => {});
    return done;
  }

  /** Reconnects with one revision, or with the newest that both sides support. */
  async useRevision(revision: string | undefined): Promise<void> {
    this.#wanted = revision;
    // The page shows the failure as the state of the connection.
    await this.restart().catch(() => {});
  }

  async close(): Promise<void> {
    this.#over = true;
    this.#link?.hurry();
    await this.#turn;
    await this.#end();
  }

  /**
   * Sends a request of the page, unless the schema rejects its arguments. @throws BadRequest without a
   * connection
   */
  call(request: CallRequest): CallAnswer {
    if (!this.#client) throw new BadRequest("there is no connection to the server");
    const issues = request.anyway ? [] : this.issuesOf(request);
    return issues.length > 0 ? { issues } : { call: this.calls.start(this.#client, request) };
  }

  /** The issues of a tool's arguments according to its schema. */
  issuesOf({ kind, name, params }: Pick<CallRequest, "kind" | "name" | "params">): readonly Issue[] {
    const schema = kind === "tool" ? schemaOf(this.#captured?.contract, name, "inputSchema") : undefined;
    return schema ? this.#judge.issues(schema, (params["arguments"] ?? {}) as JsonValue) : [];
  }

  /** The issues of content according to a form's requested schema. */
  formIssues(schema: JsonObject, content: JsonObject): readonly Issue[] {
    return new ValueJudge().issues(schema, content);
  }

  async setLogLevel(level: string): Promise<void> {
    await this.#client?.setLogLevel(level);
  }

  async #restart(): Promise<void> {
    const { runtime, source, server } = this.#options;
    await this.#end();
    if (this.#over) return;
    this.#report("connecting");
    this.wire.forget();
    this.#sent = new SentTools();
    try {
      const { client } = await openServer(runtime, source, this.#serverOptions(server), (link) => {
        this.#link = link;
      });
      this.#client = client;
      this.wire.negotiated(client.revision);
      this.#report("connected");
      this.#hearChanges(client);
      await this.#list(client).catch((error: unknown) => this.#notListed(error));
    } catch (error) {
      // Messages of a failed handshake are validated with the requested revision, or with the newest.
      this.wire.negotiated(this.#client?.revision ?? this.#wanted ?? runtime.revisions.at(-1)!.id);
      this.#client = undefined;
      await this.#link?.close(undefined);
      this.#report("failed", { reason: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  }

  #serverOptions(server: ServerOptions): ServerOptions {
    const { wire, questions } = this;
    return {
      ...server,
      revision: this.#wanted,
      tap: wire.tap,
      extensions: this.#options.tasks.extensions,
      connection: {
        ...questions.handlers,
        // The page is meant for sending invalid requests and responses, too.
        validation: { send: "off" },
        prepare: (client: LiveClient) => this.#listen(client),
      },
    };
  }

  #listen(client: LiveClient): void {
    client.on("notifications/message", (params) => {
      if (!isJsonObject(params)) return;
      const { level, logger, data } = params;
      const text = typeof data === "string" ? data : JSON.stringify(data);
      const prefix = typeof logger === "string" ? `${logger}: ` : "";
      this.#options.send({ type: "log", level: String(level), text: prefix + text });
    });
    for (const method of listChanges)
      client.on(method, () => {
        if (this.#client === client)
          void this.#list(client).catch((error: unknown) => this.#notListed(error));
      });
  }

  /**
   * Asks for notices of changed lists, as far as the server declares them: without a listener, servers of revisions
   * with `subscriptions/listen` send none. The request ends with the connection: `Client.subscribe` would start a server that
   * has crashed again, and the page shows that it has ended.
   */
  #hearChanges(client: LiveClient): void {
    const declared = changing.filter((list) => {
      const capability = client.serverCapabilities[list];
      return isJsonObject(capability!) && capability["listChanged"] === true;
    });
    const listens = this.#options.requestsOf(client.revision)?.includes("subscriptions/listen");
    if (!listens || declared.length === 0) return;
    const notifications = Object.fromEntries(declared.map((list) => [`${list}ListChanged`, true]));
    client.request("subscriptions/listen", { notifications }).catch((error: unknown) => {
      // The page already shows that a process has ended.
      const isProcess = kindOfServer(this.#options.source) === "stdio";
      if (
        this.#client !== client ||
        (isProcess && isRuntimeError(error) && error.code === "connection-closed")
      )
        return;
      const text = `no notices of changed lists: ${error instanceof Error ? error.message : String(error)}`;
      this.#options.send({ type: "log", level: "warning", text });
    });
  }

  /** Reads the server's offer: first the lists, then the findings. */
  async #list(client: LiveClient): Promise<void> {
    const captured = await capture(client, {}, { needed: [] });
    if (this.#client !== client) return;
    this.#captured = captured;
    this.#judge = new ValueJudge();
    const version = this.#publish(plainOffer(captured, ++this.#version));
    void this.#options.judged(this.#offer, captured, this.#sent).then(
      (offer) => {
        if (this.#version === version) this.#publish({ ...offer, version: ++this.#version });
      },
      () => {},
    );
  }

  /** Reports that lists could not be read; the server can still be called. */
  #notListed(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#captured = undefined;
    this.#publish({ ...noOffer, version: ++this.#version, unread: reason });
  }

  #publish(offer: Offer): number {
    this.#offer = offer;
    this.#options.send({ type: "offer", version: offer.version });
    return offer.version;
  }

  #structuredIssues(tool: string, content: JsonValue | undefined): readonly Issue[] | undefined {
    const schema = schemaOf(this.#captured?.contract, tool, "outputSchema");
    if (!schema) return undefined;
    if (content === undefined) return [{ pointer: "", message: "there is no structured content" }];
    return this.#judge.issues(schema, content);
  }

  #report(state: ConnectionEvent["state"], more: Partial<ConnectionEvent> = {}): void {
    const client = state === "connected" ? this.#client : undefined;
    const { runtime, send, requestsOf } = this.#options;
    const requests = client && requestsOf(client.revision);
    send({
      ...{ type: "connection", state, revisions: runtime.revisions.map(({ id, era }) => ({ id, era })) },
      ...(this.#wanted !== undefined && { wanted: this.#wanted }),
      ...(client && {
        revision: client.revision,
        era: runtime.revisions.find(({ id }) => id === client.revision)?.era ?? "",
        ...(client.serverInfo && { server: client.serverInfo }),
        capabilities: client.serverCapabilities,
        ...(client.instructions !== undefined && { instructions: client.instructions }),
      }),
      ...(requests && { requests }),
      ...more,
    });
  }

  async #end(): Promise<void> {
    const [link, client] = [this.#link, this.#client];
    this.#link = this.#client = undefined;
    this.questions.end();
    this.calls.end();
    await link?.close(client);
  }
}

const noOffer: Offer = {
  ...{ version: 0, isJudged: false, tools: [], resources: [], resourceTemplates: [], prompts: [] },
  ...{ leftOut: [], drift: [] },
};

/** Maximum number of issues. */
const most = 50;

/** A parsed schema, or the reason why it cannot be read. */
type Read = { readonly schema: Schema; readonly explainer: Explainer } | string;

/** Validates values with the schemas of one server, whose patterns share an analysis budget. */
export class ValueJudge {
  readonly #budget = new PatternBudget();
  readonly #read = new WeakMap<JsonObject, Read>();

  /**
   * The issues of a value. Asserts formats, although JSON Schema makes that optional, because a user who
   * tries a tool wants to know.
   */
  issues(schema: JsonObject, value: JsonValue): readonly Issue[] {
    const read = this.#schemaOf(schema);
    if (typeof read === "string") return [{ pointer: "", message: `the schema cannot be read: ${read}` }];
    try {
      const node = read.schema.root ?? { pointer: "" };
      return read.explainer
        .issues(node, value, undefined, most)
        .map(({ pointer, expected, got, suggestion }) => {
          const isMeant = suggestion !== undefined && got !== "nothing";
          const advice = isMeant ? `; did you mean ${JSON.stringify(suggestion)}?` : "";
          return { pointer, message: `expected ${expected}, got ${got}${advice}` };
        });
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      return [{ pointer: "", message: `the schema cannot judge: ${error.message}` }];
    }
  }

  #schemaOf(schema: JsonObject): Read {
    let read = this.#read.get(schema);
    if (read === undefined) this.#read.set(schema, (read = readOrReason(schema, this.#budget)));
    return read;
  }
}

function readOrReason(document: JsonObject, patternBudget: PatternBudget): Read {
  try {
    const schema = readDocument(document, { enums: "written", patternBudget });
    const judge = (definition: string, value: unknown): boolean =>
      isValid(schema, schema.definitions.get(definition)!.node, value as JsonValue, { formats: "assertion" });
    return { schema, explainer: new Explainer(schema, { judge, formats }) };
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return error.message;
  }
}
