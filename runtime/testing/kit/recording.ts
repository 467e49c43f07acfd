import type {
  Channel,
  ClientChannel,
  ClientReceiver,
  Clock,
  Outgoing,
  Receiver,
  RequestId,
} from "@mcpgen/runtime";
import { type AnyChannel, checkChannel, isObject, type Message, systemClock } from "@mcpgen/base";

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
   * @throws {McpError} `invalid-definition`: the channel lacks members
   */
  of<Wrapped extends AnyChannel>(
    channel: Wrapped,
    side: Side,
  ): Wrapped extends ClientChannel ? ClientChannel : Channel;
  of(channel: AnyChannel, side: Side): AnyChannel {
    checkChannel(channel, "channel");
    const keep = (out: boolean, text: string): void => {
      const from = out === (side === "client") ? "client" : "server";
      this.session.push({ from, at: this.#clock.now() - this.#started, text });
    };
    return "post" in channel ? new RecordedClientChannel(channel, keep) : new RecordedChannel(channel, keep);
  }
}

/** Records a message. @param out whether this side sent it */
type Keep = (out: boolean, text: string) => void;

class RecordedChannel implements Channel {
  readonly #channel: Channel;
  readonly #keep: Keep;

  constructor(channel: Channel, keep: Keep) {
    this.#channel = channel;
    this.#keep = keep;
  }

  open(receiver: Receiver): void {
    this.#channel.open({
      ...recorded(receiver, this.#keep),
      ...(receiver.ended ? { ended: () => receiver.ended!() } : {}),
    });
  }

  send(text: string, origin?: RequestId): void {
    this.#keep(true, text);
    this.#channel.send(text, origin);
  }

  reply(text: string): void {
    this.#keep(true, text);
    if (this.#channel.reply) this.#channel.reply(text);
    else this.#channel.send(text);
  }

  flush(): void {
    this.#channel.flush();
  }

  close(): Promise<void> {
    return this.#channel.close();
  }
}

class RecordedClientChannel implements ClientChannel {
  readonly guaranteesReply: boolean;
  readonly carriesHeaders: boolean;
  readonly #channel: ClientChannel;
  readonly #keep: Keep;

  constructor(channel: ClientChannel, keep: Keep) {
    this.#channel = channel;
    this.#keep = keep;
    this.guaranteesReply = channel.guaranteesReply;
    this.carriesHeaders = channel.carriesHeaders;
  }

  open(receiver: ClientReceiver): void {
    this.#channel.open({
      ...recorded(receiver, this.#keep),
      parsed: (value, refusal) => {
        this.#keep(false, JSON.stringify(value));
        receiver.parsed(value, refusal);
      },
      failed: (id, error) => receiver.failed(id, error),
      draining: (reason) => receiver.draining(reason),
      isSettled: (id) => receiver.isSettled(id),
    });
  }

  post(message: Outgoing): void {
    this.#keep(true, message.text);
    this.#channel.post(message);
  }

  reply(text: string): void {
    this.#keep(true, text);
    this.#channel.reply(text);
  }

  abandon(id: RequestId): boolean {
    return this.#channel.abandon(id);
  }

  authorization(signal: AbortSignal): string | undefined | Promise<string | undefined> {
    return this.#channel.authorization(signal);
  }

  setProtocolHeaders(headers: Readonly<{ [name: string]: string }>): void {
    this.#channel.setProtocolHeaders(headers);
  }

  close(): Promise<void> {
    return this.#channel.close();
  }
}

/** Wraps a receiver and records the messages of the other side. */
function recorded(receiver: Receiver, keep: Keep): Receiver {
  return {
    message: (text) => {
      keep(false, text);
      receiver.message(text);
    },
    turn: () => receiver.turn(),
    tooLong: (limit) => receiver.tooLong(limit),
    closed: (reason) => receiver.closed(reason),
  };
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
