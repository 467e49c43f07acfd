import { serverRevisions } from "@mcpgen/protocol";
import {
  type CodeFirstServer,
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
import type { Journal } from "./journal.js";
import { ChannelLine, HttpLine, type Line, legacy, modern } from "./line.js";
import type { Seen } from "./model.js";

/** How a server treats a handler that asks. */
export const modes = {
  /** It waits. */
  parked: { replay: false, state: {} },
  /** It waits, and other processes have the keys. */
  routed: { replay: false, state: { keys: ["a key that processes share"], parking: "routed" } },
  /** It waits, and may run again. */
  either: { replay: true, state: {} },
  /** It runs again, in any process. */
  shared: { replay: true, state: { keys: ["a key that processes share"], parking: "routed" } },
  /** It runs again, in this process. */
  again: { replay: true, state: { parking: false } },
  /** It can neither wait nor run again. */
  neither: { replay: false, state: { parking: false } },
} as const satisfies { readonly [name: string]: { readonly replay: boolean; readonly state: StateOptions } };

export type Mode = keyof typeof modes;

export const wires = ["memory", "stdio", "HTTP", "fetch"] as const;
export const kinds = ["tools/call", "prompts/get", "resources/read"] as const;

/** What a program is served by. */
export interface Setting {
  readonly mode: Mode;
  readonly wire: (typeof wires)[number];
  readonly kind: (typeof kinds)[number];
  readonly era: "legacy" | "modern";
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

  constructor(setting: Setting, journal: Journal) {
    this.setting = setting;
    this.journal = journal;
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
    const { mode, wire, isRecorded } = this.setting;
    const { state, replay } = modes[mode];
    const isOver = replay && mode !== "either";
    const server = createServer(
      { name: "s", version: "1" },
      {
        revisions: serverRevisions,
        clock,
        state: { ...state, ...((isOver || isRecorded) && { store: { use: this.#use } }) },
        errors: { thrown: "message" },
        onEvent: (event) => this.events.push(event) > 0,
      },
    );
    this.#register(server, replay);
    const endpoint = wire === "HTTP" || wire === "fetch" ? await this.#serve(server, wire) : undefined;
    this.#processes.push({ server, clock, lines: new Map(), endpoint });
  }

  /** A store that the processes share. */
  readonly #use = ({ request, round }: { readonly request: string; readonly round: number }): boolean => {
    if ((this.#used.get(request) ?? 0) >= round) return false;
    this.#used.set(request, round);
    return true;
  };

  #register(server: CodeFirstServer, replay: boolean): void {
    const handle = async (context: HandlerContext): Promise<string> =>
      JSON.stringify(await this.journal.handle(context));
    server.tool("run", { replay, inputSchema: { type: "object" } }, (_, context) => handle(context));
    server.prompt("run", { replay }, (_, context) => handle(context));
    server.resource("run://one", { replay }, (_, context) => handle(context));
    server.resource("run://other", { replay }, (_, context) => handle(context));
    server.prompt("other", { replay }, (_, context) => handle(context));
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
      const { clock, server } = process;
      await clock.advance(600_000);
      const { parked, requests } = server.stats().gauges;
      if (parked > 0) left.push(`${parked} parked calls`);
      if (requests > 0) left.push(`${requests} requests`);
      await this.close(process);
      if (clock.waiting > 0) left.push(`${clock.waiting} timers`);
    }
    return left;
  }
}
