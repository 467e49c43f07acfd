import { type JsonValue, isJsonObject } from "@mcpgen/engine";
import { type Heard, tapOf } from "../../capture/tap.js";
import { jsonIn } from "../../files/json-file.js";
import { secrets } from "../../secrets/secrets.js";
import type { Side, Verdict, WireEvent } from "../../page/browser/dev/messages.js";

/** Validates the messages of one connection with a revision, in order. */
export type JudgeMessage = (message: unknown, from: Side) => readonly Omit<Verdict, "revision">[];

/** A message of a recording. */
export interface Recorded {
  readonly from: Side;
  readonly at: number;
  readonly text: string;
}

interface Logged extends Recorded {
  readonly number: number;
}

/** Maximum length of a message in an event; the page requests the rest. */
const shownLength = 20_000;

/** Maximum number of issues shown for one message. */
const mostIssues = 50;

/** Maximum number of characters kept of one connection's messages; beyond it there is no recording. */
const mostCharacters = 256_000_000;

interface WireLogOptions {
  readonly send: (event: WireEvent) => void;
  /** Returns the validator for a revision, if it is known. */
  readonly judgeOf: (revision: string) => JudgeMessage | undefined;
  /** Gets each message. */
  readonly heard: (from: Side, text: string) => void;
  /** Called when a connection begins. */
  readonly began: () => void;
  /** Called when the connection ended without being asked to. */
  readonly ended: (reason: Error | undefined) => void;
}

const notJson = { pointer: "", message: "expected JSON, got other text" };

const versionKey = "io.modelcontextprotocol/protocolVersion";

/** Records every message of the connections to a server. Keeps the messages of the last connection. */
export class WireLog {
  readonly #options: WireLogOptions;
  #logged: Logged[] = [];
  #size = 0;
  #number = 0;
  #connection = 0;
  #started = 0;
  /** Number of messages that have been validated. */
  #judged = 0;
  #revision: string | undefined;
  #judges = new Map<string, JudgeMessage | undefined>();
  /** The revisions of open requests, by sender and id: a probe may use another one than the connection. */
  #asked = new Map<string, string>();

  /** Logs the messages of what it wraps. */
  readonly tap = tapOf({ message: (from, text) => this.add(from, text) }, () => this.#opened());

  constructor(options: WireLogOptions) {
    this.#options = options;
  }

  /** The messages of the last connection; undefined if there were too many. */
  get recording(): readonly Recorded[] | undefined {
    return this.#size > mostCharacters ? undefined : this.#logged;
  }

  /** The complete text of a message of the last connection. */
  textOf(number: number): string | undefined {
    return this.#logged.find((each) => each.number === number)?.text;
  }

  /** Begins a connection. A client that reconnects by itself keeps its revision. */
  begin(): void {
    this.#connection++;
    this.#logged = [];
    this.#size = 0;
    this.#judged = 0;
    this.#started = performance.now();
    this.#judges = new Map();
    this.#asked = new Map();
  }

  /** Makes the next connection negotiate its revision. */
  forget(): void {
    this.#revision = undefined;
    this.begin();
  }

  /** Sets the revision of the connection, and validates the messages so far. */
  negotiated(revision: string): void {
    this.#revision = revision;
    this.#judgeRest();
  }

  add(from: Side, message: string): void {
    this.#options.heard(from, message);
    const text = secrets.hide(message);
    const at = Math.round(performance.now() - this.#started);
    const logged: Logged = { number: ++this.#number, from, at, text };
    this.#size += text.length;
    if (this.#size <= mostCharacters) this.#logged.push(logged);
    if (this.#revision !== undefined) this.#judgeRest();
    else this.#send(logged, undefined);
  }

  #judgeRest(): void {
    for (const logged of this.#logged.slice(this.#judged)) this.#send(logged, this.#verdictsOf(logged));
    this.#judged = this.#logged.length;
  }

  #send({ number, from, at, text }: Logged, verdicts: readonly Verdict[] | undefined): void {
    this.#options.send({
      ...{ type: "wire", number, connection: this.#connection, from, at },
      ...{ text: text.slice(0, shownLength), length: text.length },
      ...(verdicts && { verdicts }),
    });
  }

  #verdictsOf({ from, text }: Logged): readonly Verdict[] {
    const message = jsonIn(text);
    if (message === undefined) return [{ revision: this.#revision!, kind: "unknown", issues: [notJson] }];
    const revision = this.#revisionOf(message, from);
    if (!this.#judges.has(revision)) this.#judges.set(revision, this.#options.judgeOf(revision));
    const judge = this.#judges.get(revision);
    if (!judge) return [];
    return judge(message, from).map(({ kind, method, issues }) => ({
      ...{ revision, kind, issues: issues.slice(0, mostIssues) },
      ...(method !== undefined && { method }),
    }));
  }

  /**
   * The revision of a message: the one in a request, that of the request for a response, else that of the
   * connection.
   */
  #revisionOf(message: JsonValue, from: Side): string {
    const negotiated = this.#revision!;
    if (!isJsonObject(message)) return negotiated;
    const { id, method, params } = message;
    if (method === undefined) {
      const key = `${from === "client" ? "server" : "client"} ${JSON.stringify(id)}`;
      const asked = this.#asked.get(key);
      this.#asked.delete(key);
      return asked ?? negotiated;
    }
    const meta = isJsonObject(params!) ? params["_meta"] : undefined;
    const named = isJsonObject(meta!) ? meta[versionKey] : undefined;
    if (typeof named !== "string" || !this.#options.judgeOf(named)) return negotiated;
    if (id !== undefined) this.#asked.set(`${from} ${JSON.stringify(id)}`, named);
    return named;
  }

  /** What the next connection is heard by; messages of earlier ones are not logged. */
  #opened(): Heard {
    if (this.#logged.length > 0) this.begin();
    this.#options.began();
    const connection = this.#connection;
    return {
      message: (from, text) => {
        if (connection === this.#connection) this.add(from, text);
      },
      ended: (reason) => {
        if (connection === this.#connection) this.#options.ended(reason);
      },
    };
  }
}
