import { McpError } from "../../jsonrpc/errors.js";
import { type RequestId, errorText } from "../../jsonrpc/message.js";
import { strayErrorIn } from "./answer-body.js";
import type { HttpClientOptions } from "./http-client-options.js";
import { interrupted } from "../../jsonrpc/interrupted.js";
import { defaultLimit, pump } from "./limit.js";
import { mediaType } from "../shared/media.js";
import { Pace } from "./pace.js";
import { SseReader } from "./sse-reader.js";

/** What may be otherwise the next time, beside failures of the server. */
const passing: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Milliseconds that a stream is left to its server to end, once the answer has come on it. */
const grace = 250;

/** Milliseconds after which a stream that said nothing was one all the same. */
const steady = 5000;

/** What streams of a client's connection are read for. */
export interface StreamUser {
  /** Asks for a stream, from the event after `lastId` on. */
  readonly get: (lastId: string | undefined, signal: AbortSignal) => Promise<Response>;
  readonly message: (text: string) => void;
  /** All that came together was handed over. */
  readonly turn: () => void;
  /** Resolves when more may be read; nothing if it may now. */
  readonly room: () => Promise<void> | undefined;
  /** The server knows the session no more. */
  readonly forgotten: () => void;
}

/** A request whose answer is read from a stream. */
export interface Asked {
  readonly id: RequestId;
  readonly signal: AbortSignal;
  /** Whether the stream can be taken up again. */
  readonly resumable: boolean;
  /** Whether the answer has come, or nobody waits for it. */
  readonly isDone: () => boolean;
  /** Ends the exchange. */
  readonly end: () => void;
}

/** Why nothing is heard any more. */
export interface Lost {
  readonly why: McpError;
  /** Whether the server may have the stream again later. */
  readonly passing: boolean;
  /** The event to go on after. */
  readonly lastId: string | undefined;
}

/** What came of a stream. */
interface Heard {
  readonly lastId: string | undefined;
  /** The last message. */
  readonly last: string | undefined;
  /** Whether the connection broke, rather than the server ending the stream. */
  readonly broken: boolean;
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
   * @throws {McpError} `connection-closed`: the answer did not come, and there is no more of the stream
   */
  async answer(response: Response, asked: Asked): Promise<void> {
    const { id, signal, resumable, isDone } = asked;
    const pace = this.pace();
    let lastId: string | undefined;
    for (let current: Response | undefined = response; ;) {
      const heard = current && (await this.hear(current, pace, asked));
      if (signal.aborted || isDone()) return;
      lastId = heard?.lastId ?? lastId;
      const stray = heard?.last !== undefined && !heard.broken ? strayErrorIn(heard.last) : undefined;
      if (stray) return this.user.message(errorText(id, stray));
      if (lastId === undefined || !resumable)
        throw interrupted(
          "the stream ended without the answer",
          undefined,
          heard?.broken === false ? response.status : undefined,
        );
      await pace.next(signal);
      current = await this.again(lastId, signal, pace);
    }
  }

  /**
   * Listens for what belongs to no request (2025-11-25, listening for messages from the server), till the
   * signal is aborted. Resolves with why the stream is lost, or with nothing where the server offers it not.
   *
   * @param from the event to go on after, where it was listened to before
   * @param decided called once it is known whether the server offers it
   */
  async listen(
    from: string | undefined,
    signal: AbortSignal,
    decided: () => void,
  ): Promise<Lost | undefined> {
    const pace = this.pace();
    let lastId = from;
    try {
      let current = await this.user.get(lastId, signal).catch(() => undefined);
      decided();
      if (current && !isStream(current)) {
        await current.body?.cancel();
        // A server need not offer it.
        if (!isBusy(current.status, from !== undefined)) return undefined;
        pace.missed();
        current = undefined;
      }
      for (;;) {
        if (current) lastId = (await this.hear(current, pace)).lastId ?? lastId;
        await pace.next(signal);
        current = await this.again(lastId, signal, pace);
      }
    } catch (error) {
      const why = error as McpError;
      return { why, passing: pace.isWorn && why.code === "connection-closed", lastId };
    }
  }

  private pace(): Pace {
    return new Pace(this.options.reconnects, this.options.retryMs);
  }

  /**
   * Reads a stream to its end, or for one request till it is answered.
   *
   * @throws {McpError} `message-too-long`
   */
  private async hear(response: Response, pace: Pace, asked?: Asked): Promise<Heard> {
    const began = performance.now();
    let last: string | undefined;
    let events = 0;
    let broken = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const reader = new SseReader(({ event, data }) => {
      events++;
      if (event === "message") this.user.message((last = data));
    }, this.options.limit ?? defaultLimit);
    await pump(response, (chunk) => {
      reader.push(chunk);
      // Some servers leave it open, and sockets with it; others end it now, and the connection is used again.
      if (timer === undefined && asked?.isDone()) timer = setTimeout(asked.end, grace);
      return this.user.room();
    }).catch((error: unknown) => {
      // A stream that broke is taken up again; one that is too long would be so again.
      if (error instanceof McpError && error.code === "message-too-long") throw error;
      broken = true;
    });
    clearTimeout(timer);
    this.user.turn();
    pace.told(reader.retryMs);
    // A server that has its client come back for the answer says when (2025-11-25, polling).
    const polls = asked !== undefined && (reader.retryMs ?? 0) > 0;
    // Where streams open and end at once, the server is not there yet, for all that its proxy says.
    const lasted = performance.now() - began >= steady;
    if (polls || events > 0 || reader.lastId !== undefined || lasted) pace.connected(lasted);
    else pace.missed();
    return { lastId: reader.lastId, last, broken };
  }

  /** Another connection to a stream; nothing if there was none to be had this time. */
  private async again(
    lastId: string | undefined,
    signal: AbortSignal,
    pace: Pace,
  ): Promise<Response | undefined> {
    const response = await this.user.get(lastId, signal).catch(() => undefined);
    if (response && isStream(response)) return response;
    await response?.body?.cancel();
    // A proxy may have no server now, and a server may not have noticed yet that the stream is lost.
    if (!response || passing.has(response.status) || response.status >= 500) {
      pace.missed();
      return undefined;
    }
    if (response.status === 404) this.user.forgotten();
    const { status, ok } = response;
    throw interrupted(
      `the server does not resume the stream: it answered ${status}${ok ? " and no stream" : ""}`,
    );
  }
}

/** Whether a stream may be had another time. @param offered whether there was one before */
function isBusy(status: number, offered: boolean): boolean {
  return passing.has(status) || status === 503 || (offered && status >= 500 && status !== 501);
}

function isStream({ ok, headers }: Response): boolean {
  return ok && mediaType(headers.get("content-type") ?? "") === "text/event-stream";
}
