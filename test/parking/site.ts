import { serverRevisions } from "@mcpgen/protocol";
import {
  type CodeFirstServer,
  type Registration,
  type HandlerContext,
  type ServerEvent,
  type StateOptions,
  createServer,
} from "@mcpgen/runtime";
import { createHttpHandler, serveHttp } from "@mcpgen/runtime/http";
import { VirtualClock } from "@mcpgen/testing";
import fc from "fast-check";
import type { Members, Wired } from "../support/sent-messages.js";
import { answerTo, formOf, keyOf } from "./answers.js";
import { Journal } from "./journal.js";
import { ChannelLine, HttpLine, type Line, legacy, modern } from "./line.js";
import type { Program } from "./program.js";

/** What a server does with a handler that asks. Without shared keys, the state is worth nothing in another process. */
export const modes = {
  parked: { does: "waits", replay: false, state: {} },
  /** Other processes have the keys, and each client stays at its process. */
  routed: {
    does: "waits",
    replay: false,
    state: { keys: ["a key that processes share"], parking: "routed" },
  },
  /** It may run again, and need not. */
  either: { does: "waits", replay: true, state: {} },
  shared: {
    does: "runs again",
    replay: true,
    state: { keys: ["a key that processes share"], parking: "routed" },
  },
  again: { does: "runs again", replay: true, state: { parking: false } },
  neither: { does: "refuses", replay: false, state: { parking: false } },
} as const satisfies {
  readonly [name: string]: {
    readonly does: "waits" | "runs again" | "refuses";
    readonly replay: boolean;
    readonly state: StateOptions;
  };
};

export type Mode = keyof typeof modes;

export const wires = ["memory", "stdio", "HTTP", "fetch"] as const;
export const kinds = ["tools/call", "prompts/get", "resources/read"] as const;

/** The parameters of a call of the program; or of another call, to which no state of that one belongs. */
export function paramsOf(kind: Setting["kind"], isOther = false): Members {
  const name = isOther ? "other" : "run";
  return kind === "resources/read" ? { uri: `run://${name}` } : { name };
}

/** What a program is served by. */
export interface Setting {
  readonly mode: Mode;
  readonly wire: (typeof wires)[number];
  readonly kind: (typeof kinds)[number];
  readonly era: "legacy" | "modern";
  /** Whether the server shows another one, which has the handler. */
  readonly isMounted: boolean;
  /** Whether middleware waits for the handler, and for its questions. */
  readonly isWrapped: boolean;
  /** Whether clients have names. */
  readonly isNamed: boolean;
  /** Whether used states are recorded, of handlers that wait; those of others are. */
  readonly isRecorded: boolean;
  /** Draws the client's answers. */
  readonly salt: number;
}

/** @param wire weights: an endpoint on a port costs more than a channel */
export const settings = (wire: fc.Arbitrary<Setting["wire"]>): fc.Arbitrary<Omit<Setting, "era">> =>
  fc.record({
    mode: fc.oneof(
      { weight: 5, arbitrary: fc.constant("parked" as const) },
      { weight: 2, arbitrary: fc.constant("routed" as const) },
      { weight: 2, arbitrary: fc.constant("either" as const) },
      { weight: 3, arbitrary: fc.constant("shared" as const) },
      { weight: 2, arbitrary: fc.constant("again" as const) },
      { weight: 1, arbitrary: fc.constant("neither" as const) },
    ),
    wire,
    kind: fc.constantFrom(...kinds),
    isMounted: fc.boolean(),
    isWrapped: fc.boolean(),
    isNamed: fc.boolean(),
    isRecorded: fc.boolean(),
    salt: fc.nat(1000),
  });

/** One process. */
interface Process {
  readonly server: CodeFirstServer;
  readonly clock: VirtualClock;
  readonly lines: Map<string, Line>;
  readonly endpoint: Endpoint | undefined;
  readonly offers: readonly Registration[];
}

interface Endpoint {
  readonly url: string;
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

/** A server of a program, its clients, and the processes that took the place of each other. */
export class Site {
  readonly setting: Setting;
  readonly journal: Journal;
  readonly events: ServerEvent[] = [];
  readonly faults: string[] = [];
  readonly reports: number[] = [];
  readonly #processes: Process[] = [];
  readonly #used = new Map<string, number>();

  constructor(program: Program, setting: Setting) {
    this.setting = setting;
    const runsAgain = setting.era === "modern" && modes[setting.mode].does === "runs again";
    this.journal = new Journal(program, runsAgain, () => this.clock.now());
  }

  /** A client, by its name. */
  async line(name = "ann"): Promise<Line> {
    const { lines, server, endpoint } = this.#process;
    const known = lines.get(name);
    if (known) return known;
    const { era, wire, isNamed, salt } = this.setting;
    const revision = era === "legacy" ? legacy : modern;
    const answer = (asked: Wired): Members => answerTo(keyOf(asked), formOf(asked), salt);
    const principal = isNamed ? name : "";
    const made = endpoint
      ? new HttpLine(endpoint, principal, revision, this, answer)
      : new ChannelLine(server, wire as "memory" | "stdio", principal, revision, this, answer);
    lines.set(name, await made.open());
    return made;
  }

  /** Forgets the client's connection: the next request opens another one. */
  async hangUp(name = "ann"): Promise<void> {
    const { lines } = this.#process;
    await lines.get(name)?.hangUp();
    lines.delete(name);
  }

  get clock(): VirtualClock {
    return this.#process.clock;
  }

  get parked(): number {
    return this.#process.server.stats().gauges.parked;
  }

  get #process(): Process {
    return this.#processes.at(-1)!;
  }

  /** Starts a process. What an earlier one had in memory is out of reach. */
  async start(): Promise<void> {
    const clock = new VirtualClock(this.#processes.at(-1)?.clock.now() ?? 1_000_000);
    const { mode, wire, isRecorded, isMounted, isWrapped } = this.setting;
    const { does, state, replay } = modes[mode];
    const store = (does === "runs again" || isRecorded) && { store: { use: this.#use } };
    const options = {
      revisions: serverRevisions,
      clock,
      errors: { thrown: "message" },
      onEvent: (event: ServerEvent) => this.events.push(event) > 0,
    } as const;
    const server = createServer({ name: "s", version: "1" }, { ...options, state: { ...state, ...store } });
    const owner = isMounted ? createServer({ name: "owner", version: "1" }, options) : server;
    const offers = this.#offer(owner, replay);
    if (isMounted) server.mount(owner);
    if (isWrapped) server.use(async (_, next) => await next());
    const endpoint = wire === "HTTP" || wire === "fetch" ? await this.#serve(server, wire) : undefined;
    this.#processes.push({ server, clock, lines: new Map(), endpoint, offers });
  }

  /** Removes what a client has called. Calls that wait go on. */
  withdraw(): void {
    for (const offer of this.#process.offers) offer.remove();
  }

  /** A store that the processes share. */
  readonly #use = ({ request, round }: { readonly request: string; readonly round: number }): boolean => {
    if ((this.#used.get(request) ?? 0) >= round) return false;
    this.#used.set(request, round);
    return true;
  };

  /** Registers the program as a tool, a prompt and a resource; each twice, so that states of one can be sent to the other. */
  #offer(server: CodeFirstServer, replay: boolean): Registration[] {
    const handle = async (context: HandlerContext): Promise<string> =>
      JSON.stringify(await this.journal.handle(context));
    return ["run", "other"].flatMap((name) => [
      server.tool(name, { replay }, (_, context) => handle(context)),
      server.prompt(name, { replay }, (_, context) => handle(context)),
      server.resource(`run://${name}`, { replay }, (_, context) => handle(context)),
    ]);
  }

  async #serve(server: CodeFirstServer, wire: "HTTP" | "fetch"): Promise<Endpoint> {
    const options = {
      graceMs: 0,
      ...(this.setting.isNamed && {
        authenticate: ({ header }: { header(name: string): string | undefined }) => ({
          principal: header("x-principal")!,
        }),
      }),
    };
    if (wire === "HTTP") {
      const { url, close } = await serveHttp(server, { port: 0, ...options });
      return { url, close, fetch: (request) => fetch(request) };
    }
    const handler = createHttpHandler(server, options);
    return {
      url: "http://localhost/mcp",
      close: handler.close,
      fetch: (request) => handler.fetch(request as never) as never,
    };
  }

  /** Closes a process, as its signal handler does. */
  async close(process = this.#process): Promise<void> {
    await process.endpoint?.close();
    await process.server.close();
  }

  /** Lets the calls expire, and closes all processes. Returns what still waits. */
  async end(): Promise<string[]> {
    const left: string[] = [];
    for (const process of this.#processes) {
      const { clock, server, lines } = process;
      for (const line of lines.values()) await line.responded();
      if (this.setting.era === "modern") await clock.advance(600_000);
      const { parked, requests } = server.stats().gauges;
      if (parked > 0) left.push(`${parked} parked calls`);
      if (requests > 0) left.push(`${requests} requests`);
      const bytes = server.definition.parking?.bytes ?? 0;
      if (bytes !== 0) left.push(`${bytes} bytes of parked calls`);
      await this.close(process);
      if (clock.waiting > 0) left.push(`${clock.waiting} timers`);
    }
    return left;
  }
}
