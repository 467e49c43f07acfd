import type { Channel, LiveClient, Receiver, Links } from "./runtime.js";
import { messagesIn } from "./messages.js";
import { secrets } from "../secrets/secrets.js";
import { shortText } from "../print/terminal-text.js";

/** A link to a server. It can be closed at any time, even if connecting failed. */
export interface ServerLink {
  /** The address that the runtime connects to. */
  readonly source: string | (() => Channel);
  /** Aborts connecting when the link is closed. */
  readonly signal?: AbortSignal;
  /** Names of the headers with credentials that are sent over HTTP. */
  readonly credentials: readonly string[];
  /** The last output of the server's process on standard error. */
  readonly printed: string;
  /** Describes the lines on standard output that are not messages, from the latest start that printed any. */
  readonly stray: string | undefined;
  /** Closes the connection. Resolves when no process remains; may be called repeatedly. */
  close(client: LiveClient | undefined): Promise<void>;
  /** Shortens all waiting in `close`, if the server does not respond or the user interrupted. */
  hurry(): void;
}

/** How to start a server process. */
interface Start {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly onStderr?: ((text: string) => void) | undefined;
  /** Whether lines on its standard output that are not messages are counted, at the cost of parsing each one. */
  readonly isWatched: boolean;
}

/** Time in milliseconds for each step of ending a process after `hurry`: closing its input, then SIGTERM. */
const shortGrace = 300;

/** Starts a server process for each connection that the runtime opens. */
export class ProcessLink implements ServerLink {
  readonly credentials = [];
  readonly #runtime: Links;
  readonly #start: Start;
  readonly #channels = new Set<Channel>();
  readonly #stderr = new StderrTail();
  readonly #stray: StrayOutput[] = [];
  #hurried = false;
  #closed = false;

  constructor(runtime: Links, start: Start) {
    this.#runtime = runtime;
    this.#start = start;
  }

  get printed(): string {
    return this.#stderr.text;
  }

  get stray(): string | undefined {
    return this.#stray.findLast(({ words }) => words !== undefined)?.words;
  }

  readonly source = (): Channel => {
    // The runtime restarts a server that exits immediately, even if `close` has ended it.
    if (this.#closed) throw new Error("the link to the server is closed");
    const { command, cwd, env, onStderr, isWatched } = this.#start;
    const grace = (): number | undefined => (this.#hurried ? shortGrace : undefined);
    const channel = this.#runtime.stdioClientChannel(command, {
      cwd,
      env,
      stderr: (text: string) => {
        this.#stderr.add(text);
        onStderr?.(text);
      },
      // The runtime reads these when it ends the process.
      get inputGrace() {
        return grace();
      },
      get terminateGrace() {
        return grace();
      },
    });
    this.#channels.add(channel);
    void channel.exited.then(() => this.#channels.delete(channel));
    return isWatched ? this.#watched(channel) : channel;
  };

  async close(client: LiveClient | undefined): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([client?.close(), ...[...this.#channels].map((channel) => channel.close())]);
  }

  hurry(): void {
    this.#hurried = true;
  }

  /** Wraps a channel, and counts the lines that are not messages for each start of the server. */
  #watched(channel: Channel): Channel {
    const stray = new StrayOutput();
    this.#stray.push(stray);
    const open = (receiver: Receiver): void => {
      const message = (text: string): void => {
        stray.line(text);
        receiver.message(text);
      };
      channel.open(replaced(receiver, { message }));
    };
    return replaced(channel, { open });
  }
}

/** Time limit in milliseconds for the requests that end an HTTP session; shorter after `hurry`. */
const httpCloseTimeout = { usual: 5_000, hurried: 500 };

/** Connects to a server over HTTP. */
export class HttpLink implements ServerLink {
  readonly source: string;
  readonly credentials: readonly string[];
  readonly printed = "";
  readonly stray = undefined;
  readonly #end = new AbortController();
  #closeTimeout = httpCloseTimeout.usual;

  constructor(url: string, credentials: readonly string[]) {
    this.source = url;
    this.credentials = credentials;
  }

  /** Aborts pending requests when the connection is closed. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  async close(client: LiveClient | undefined): Promise<void> {
    const late = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#closeTimeout);
      this.#end.signal.addEventListener("abort", () => clearTimeout(timer));
    });
    await Promise.race([client?.close().catch(() => {}), late]);
    this.#end.abort();
  }

  hurry(): void {
    this.#closeTimeout = httpCloseTimeout.hurried;
  }
}

/** Maximum length of a line that is parsed; longer lines are messages in practice. */
const maxLineLength = 65_536;

/** Collects lines on a server's standard output that are not protocol messages. */
export class StrayOutput {
  private count = 0;
  private first = "";

  /** Checks one line. */
  line(text: string): void {
    if (text.trim() === "" || text.length > maxLineLength || isMessage(text)) return;
    if (this.count++ === 0) this.first = secrets.hide(text);
  }

  /** Describes the collected lines; undefined if there are none. */
  get words(): string | undefined {
    if (this.count === 0) return undefined;
    const shown = JSON.stringify(shortText(this.first, 80));
    return this.count === 1
      ? `on standard output the server printed a line that is not a message: ${shown}`
      : `on standard output the server printed ${this.count} lines that are not messages, the first: ${shown}`;
  }
}

/** Whether a line is a message or batch: an object has `jsonrpc`, which JSON log lines lack. */
function isMessage(text: string): boolean {
  return messagesIn(text).some((each) => "jsonrpc" in each);
}

/** `object` with some methods replaced; other methods are called on the object itself. */
export function replaced<T extends object>(object: T, methods: Partial<T>): T {
  return new Proxy(object, {
    get(target, key) {
      if (Object.hasOwn(methods, key)) return methods[key as keyof T];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

/** Maximum number of characters kept of a server's standard error. */
const most = 8192;

/** The last part of a server process's standard error, without secrets or parts of truncated ones. */
export class StderrTail {
  private kept = "";
  private readonly stream = secrets.stream();

  add(text: string): void {
    this.kept = (this.kept + this.stream.push(text)).slice(-most);
  }

  get text(): string {
    this.kept = (this.kept + this.stream.end()).slice(-most);
    return this.kept;
  }
}
