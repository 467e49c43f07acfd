import { McpError } from "../peer/errors.js";
import type { HttpClientOptions } from "./http-client-options.js";
import { defaultLimit, pump } from "./limit.js";
import { Pace } from "./pace.js";
import { SseReader } from "./sse-reader.js";
import { interrupted } from "./interrupted.js";

/** What may be otherwise the next time, beside failures of the server. */
const passing: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** What streams of a client's connection are read for. */
export interface StreamUser {
  /** Asks for a stream, from the event after `lastId` on. */
  readonly get: (lastId: string | undefined, signal: AbortSignal) => Promise<Response>;
  readonly message: (text: string) => void;
  /** All that came together was handed over. */
  readonly turn: () => void;
  /** The server knows the session no more. */
  readonly forgotten: () => void;
}

/** Reads the event streams of one server, and comes back for the rest of those that break. */
export class EventStreams {
  private readonly options: HttpClientOptions;
  private readonly user: StreamUser;

  constructor(options: HttpClientOptions, user: StreamUser) {
    this.options = options;
    this.user = user;
  }

  /**
   * Reads the stream that answers a request.
   *
   * @param resumable whether it can be taken up again
   * @param isDone whether the answer has come, or nobody waits for it
   * @throws {McpError} `connection-closed`: the answer did not come, and there is no more of the stream
   */
  async answer(
    response: Response,
    signal: AbortSignal,
    resumable: boolean,
    isDone: () => boolean,
  ): Promise<void> {
    const pace = this.pace();
    let lastId: string | undefined;
    for (let current: Response | undefined = response; ;) {
      if (current) lastId = (await this.hear(current, pace)) ?? lastId;
      if (signal.aborted || isDone()) return;
      if (lastId === undefined || !resumable) throw interrupted("the stream ended without the answer");
      await pace.next(signal);
      current = await this.again(lastId, signal, pace);
    }
  }

  /**
   * Listens for what belongs to no request (2025-11-25, listening for messages from the server), till the
   * signal is aborted; returns where the server offers it not.
   *
   * @param decided called once it is known whether the server offers it
   * @throws {McpError} `connection-closed`: the stream was lost and cannot be had again
   */
  async listen(signal: AbortSignal, decided: () => void): Promise<void> {
    const pace = this.pace();
    let current = await this.user.get(undefined, signal).catch(() => undefined);
    decided();
    // A server need not offer it.
    if (current && !current.ok) return void (await current.body?.cancel());
    for (let lastId: string | undefined; ;) {
      if (current) lastId = (await this.hear(current, pace)) ?? lastId;
      await pace.next(signal);
      current = await this.again(lastId, signal, pace);
    }
  }

  private pace(): Pace {
    return new Pace(this.options.reconnects, this.options.retryMs);
  }

  /** Reads a stream to its end. Returns the id to resume it from. */
  private async hear(response: Response, pace: Pace): Promise<string | undefined> {
    const reader = new SseReader(
      ({ event, data }) => event === "message" && this.user.message(data),
      this.options.limit ?? defaultLimit,
    );
    await pump(response, (chunk) => reader.push(chunk)).catch((error: unknown) => {
      // A stream that broke is taken up again; one that is too long would be so again.
      if (error instanceof McpError && error.code === "message-too-long") throw error;
    });
    this.user.turn();
    pace.told(reader.retryMs);
    return reader.lastId;
  }

  /** Another connection to a stream; nothing if there was none to be had this time. */
  private async again(
    lastId: string | undefined,
    signal: AbortSignal,
    pace: Pace,
  ): Promise<Response | undefined> {
    const response = await this.user.get(lastId, signal).catch(() => undefined);
    if (response?.ok) {
      pace.connected();
      return response;
    }
    await response?.body?.cancel();
    pace.missed();
    // A proxy may have no server now, and a server may not have noticed yet that the stream is lost.
    if (!response || passing.has(response.status) || response.status >= 500) return undefined;
    if (response.status === 404) this.user.forgotten();
    throw interrupted(`the server does not resume the stream: it answered ${response.status}`);
  }
}
