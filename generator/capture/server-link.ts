import type { Channel, LiveClient, Receiver, Runtime } from "./runtime.js";
import { secrets } from "../secrets/secrets.js";
import { shortText } from "../print/terminal-text.js";

/** A link to a server. It can be closed at any time, also if connecting failed. */
export interface ServerLink {
  /** The address that the runtime connects to. */
  readonly source: string | (() => Channel);
  /** Aborts the connecting when the link is closed. */
  readonly signal?: AbortSignal;
  /** The last output of the server's process on standard error. */
  readonly printed: string;
  /** Describes the lines on standard output that are not messages, from the latest start that printed any. */
  readonly stray: string | undefined;
  /** Closes the connection. Resolves when no process is left; may be called again. */
  close(client: LiveClient | undefined): Promise<void>;
  /** Shortens all waits of `close`: the server does not answer, or the user interrupted. */
  hurry(): void;
}

/** How a server's process is started. */
interface Start {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly onStderr?: ((text: string) => void) | undefined;
}

/** Milliseconds for each step of ending a process after `hurry`: the end of its input, then SIGTERM. */
const shortGrace = 300;

/** Starts the server: one process for each connection that the runtime opens. */
export class ProcessLink implements ServerLink {
  readonly #runtime: Runtime;
  readonly #start: Start;
  readonly #channels = new Set<Channel>();
  readonly #stderr = new StderrTail();
  readonly #stray: StrayOutput[] = [];
  #hurried = false;
  #closed = false;

  constructor(runtime: Runtime, start: Start) {
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
    // The runtime restarts a server that exits at once, even one that `close` ended.
    if (this.#closed) throw new Error("the link to the server is closed");
    const { command, cwd, env, onStderr } = this.#start;
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
    return this.#watched(channel);
  };

  async close(client: LiveClient | undefined): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([client?.close(), ...[...this.#channels].map((channel) => channel.close())]);
  }

  hurry(): void {
    this.#hurried = true;
  }

  /** Wraps the channel and counts, for each start of the server, the lines that are not messages. */
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

/** Milliseconds for the requests that end an HTTP session; fewer after `hurry`. */
const httpCloseTimeout = { usual: 5_000, hurried: 500 };

/** Connects to a server over HTTP. */
export class HttpLink implements ServerLink {
  readonly source: string;
  readonly printed = "";
  readonly stray = undefined;
  readonly #end = new AbortController();
  #closeTimeout = httpCloseTimeout.usual;

  constructor(url: string) {
    this.source = url;
  }

  /** Aborts what is not over when the connection is closed. */
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

/** Longer lines are not parsed: lines of this length are messages in practice. */
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

  /** Describes the collected lines; undefined without any. */
  get words(): string | undefined {
    if (this.count === 0) return undefined;
    const shown = JSON.stringify(shortText(this.first, 80));
    return this.count === 1
      ? `on standard output the server printed a line that is not a message: ${shown}`
      : `on standard output the server printed ${this.count} lines that are not messages, the first: ${shown}`;
  }
}

/** A message, or the first of a batch, has `jsonrpc`; a log line in JSON has not. */
function isMessage(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    const each: unknown = Array.isArray(value) ? value[0] : value;
    return typeof each === "object" && each !== null && "jsonrpc" in each;
  } catch {
    return false;
  }
}

/** `object` with some of its methods replaced; the others are called on the object itself. */
export function replaced<T extends object>(object: T, methods: Partial<T>): T {
  return new Proxy(object, {
    get(target, key) {
      if (Object.hasOwn(methods, key)) return methods[key as keyof T];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

/** Characters of a server's standard error that are kept. */
const most = 8192;

/** The end of what a server's process has printed on standard error. It holds no secret, and no part of one that was cut. */
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
