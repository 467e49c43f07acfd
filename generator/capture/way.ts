import type { Channel, LiveClient, Receiver, Runtime } from "./runtime.js";
import { StderrTail } from "./stderr-tail.js";
import { StrayOutput } from "./stray-output.js";

/** A way to a server, which can be left whatever connecting has come to. */
export interface Way {
  /** What the runtime connects to. */
  readonly source: string | (() => Channel);
  /** Requests over HTTP go through it. */
  readonly fetch?: typeof fetch;
  /** What the server's process has printed last on standard error. */
  readonly printed: string;
  /** What it has printed on standard output beside messages in its last start with such lines, in words. */
  readonly stray: string | undefined;
  /** Closes the connection; resolves when no process is left. Further calls do no harm. */
  close(client: LiveClient | undefined): Promise<void>;
  /** From now on closing waits for nothing but what must be: the server does not answer, or nobody wants to wait. */
  hurry(): void;
}

/** How a server's process is started. */
export interface Start {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly onStderr?: ((text: string) => void) | undefined;
}

/** Milliseconds for each step of ending a process that is in a hurry: the end of its input, then SIGTERM. */
const shortGrace = 300;

/** The way to a server that is started: a process each time that the runtime connects. */
export class ProcessWay implements Way {
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
    // The runtime tries a server that ends at once again, also if it was ended by us.
    if (this.#closed) throw new Error("nobody wants to connect any more");
    const { command, cwd, env, onStderr } = this.#start;
    const grace = (): number | undefined => (this.#hurried ? shortGrace : undefined);
    const channel = this.#runtime.stdioClientChannel(command, {
      cwd,
      env,
      stderr: (text: string) => {
        this.#stderr.add(text);
        onStderr?.(text);
      },
      // Read when the process is to end.
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

  /** The channel; lines that come in and are no messages are counted, for each start of the server. */
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

/** `object` with some of its methods replaced; the others are called on the object itself. */
function replaced<T extends object>(object: T, methods: Partial<T>): T {
  return new Proxy(object, {
    get(target, key) {
      if (Object.hasOwn(methods, key)) return methods[key as keyof T];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

/** Milliseconds that a server over HTTP has to hear that nobody will ask it any more; less in a hurry. */
const goodbye = { usual: 5_000, hurried: 500 };

/** The way to a server over HTTP. */
export class HttpWay implements Way {
  readonly source: string;
  readonly printed = "";
  readonly stray = undefined;
  readonly #end = new AbortController();
  #patience = goodbye.usual;

  constructor(url: string) {
    this.source = url;
  }

  readonly fetch: typeof fetch = (to, init = {}) => {
    const { signal } = this.#end;
    return fetch(to, { ...init, signal: init.signal ? AbortSignal.any([init.signal, signal]) : signal });
  };

  async close(client: LiveClient | undefined): Promise<void> {
    const late = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#patience);
      this.#end.signal.addEventListener("abort", () => clearTimeout(timer));
    });
    await Promise.race([client?.close().catch(() => {}), late]);
    this.#end.abort();
  }

  hurry(): void {
    this.#patience = goodbye.hurried;
  }
}
