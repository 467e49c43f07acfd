import { type Clock, systemClock } from "../time/clock.js";
import { type Message, type RequestId, isObject } from "../jsonrpc/message.js";
import type { Channel, Receiver } from "../jsonrpc/channel.js";

/** All messages of a connection in order. */
export class Recording {
  readonly session: Recorded[] = [];
  readonly #clock: Clock;
  readonly #started: number;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
    this.#started = clock.now();
  }

  /** The parsed messages of one side or both. @throws {SyntaxError} a text is not JSON */
  messages(from?: Side): Message[] {
    return this.session
      .filter((recorded) => from === undefined || recorded.from === from)
      .map(({ text }) => JSON.parse(text) as Message);
  }

  /** The session as a file that `mcpgen validate` and `parseSession` read. */
  toString(): string {
    return formatSession(this.session);
  }

  /**
   * Wraps a channel and records its messages.
   *
   * @param side the side whose end of the connection `channel` is
   */
  of(channel: Channel, side: Side): Channel {
    return new RecordedChannel(channel, (out, text) =>
      this.session.push({
        from: out === (side === "client") ? "client" : "server",
        at: this.#clock.now() - this.#started,
        text,
      }),
    );
  }
}

class RecordedChannel implements Channel {
  readonly post?: NonNullable<Channel["post"]>;
  readonly #channel: Channel;
  readonly #keep: (out: boolean, text: string) => void;

  constructor(channel: Channel, keep: (out: boolean, text: string) => void) {
    this.#channel = channel;
    this.#keep = keep;
    // Optional members decide how a channel is used, so the wrapper has the same ones.
    const { abandon, speak } = channel;
    Object.assign(this, {
      ...(abandon && { abandon: abandon.bind(channel) }),
      ...(speak && { speak: speak.bind(channel) }),
    });
    if (channel.post)
      this.post = (message) => {
        keep(true, message.text);
        channel.post!(message);
      };
  }

  open(receiver: Receiver): void {
    this.#channel.open({
      message: (text) => {
        this.#keep(false, text);
        receiver.message(text);
      },
      turn: () => receiver.turn(),
      tooLong: (limit) => receiver.tooLong(limit),
      failed: (id, error) => receiver.failed?.(id, error),
      isSettled: (id) => receiver.isSettled?.(id) ?? false,
      retired: (reason) => (receiver.retired ? receiver.retired(reason) : receiver.closed(reason)),
      ...(receiver.ended ? { ended: () => receiver.ended!() } : {}),
      closed: (reason) => receiver.closed(reason),
    });
  }

  send(text: string, origin?: RequestId): void {
    this.#keep(true, text);
    this.#channel.send(text, origin);
  }

  flush(): void {
    this.#channel.flush();
  }

  close(): Promise<void> {
    return this.#channel.close();
  }
}

export type Side = "client" | "server";

/** A message of a recorded session. */
export interface Recorded {
  readonly from: Side;
  /** Milliseconds since the session began. */
  readonly at: number;
  /** The text that was sent. */
  readonly text: string;
}

/** A session as lines of JSON, `{"from":"client","at":0,"message":{…}}`: the input of `mcpgen validate`. */
export function formatSession(session: Iterable<Recorded>): string {
  let lines = "";
  for (const { from, at, text } of session)
    lines += `{"from":"${from}","at":${at},"message":${asJson(text)}}\n`;
  return lines;
}

/**
 * Parses the output of `formatSession`; `at` may be missing.
 *
 * @throws {SyntaxError} a line is invalid; the message names it
 */
export function parseSession(text: string): Recorded[] {
  return text.split("\n").flatMap((line, index) => (line.trim() === "" ? [] : [parseLine(line, index + 1)]));
}

function parseLine(line: string, number: number): Recorded {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new SyntaxError(`line ${number}: expected JSON, got ${JSON.stringify(line.slice(0, 60))}.`, {
      cause,
    });
  }
  const { from, at = 0, message } = isObject(value) ? value : {};
  if ((from !== "client" && from !== "server") || message === undefined || typeof at !== "number")
    throw new SyntaxError(
      `line ${number}: expected {"from":"client" or "server","message":…}, got ${line.slice(0, 60)}.`,
    );
  return { from, at, text: typeof message === "string" ? message : JSON.stringify(message) };
}

/** A text that is not JSON becomes a JSON string, so that the line can be parsed. */
function asJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return JSON.stringify(text);
  }
  // JSON may contain line breaks between tokens.
  return text.replace(/[\r\n]/g, " ");
}
