import type { Channel, Receiver } from "@mcpgen/runtime";
import { checkOptions, isObject, type Rules } from "@mcpgen/base";
import type { Recorded, Side } from "./recording.js";

export interface ReplayOptions {
  /** The side to play; the other side is real. */
  readonly play: Side;
  /**
   * Members with strings that only their sender reads. They may differ from the recorded ones; the replay then sends the
   * new strings back. Default: `requestState`.
   */
  readonly opaque?: readonly string[];
}

const rules: Rules<ReplayOptions> = { play: ["client", "server"], opaque: "array" };

/** The real side sent another message than in the recorded session. */
export class ReplayMismatch extends Error {
  override readonly name = "ReplayMismatch";
  /** The index of the message in the session, from 0. */
  readonly index: number;
  readonly difference: Difference | undefined;

  constructor(message: string, index: number, difference?: Difference) {
    super(message);
    this.index = index;
    this.difference = difference;
  }
}

/**
 * Plays one side of a recorded session, as a channel for `connect` or for a server's `connect`. It sends each message of
 * that side after all messages before it, and expects the recorded messages from the other side, in order.
 */
export class Replay implements Channel {
  /** Resolves at the end of the session. On a rejection with `ReplayMismatch`, the channel also closes. */
  readonly done: Promise<void>;
  readonly #session: readonly Recorded[];
  readonly #play: Side;
  readonly #opaque: readonly string[];
  /** The new strings, by the recorded ones. */
  readonly #renewed = new Map<string, string>();
  #receiver: Receiver | undefined;
  readonly #arrived: string[] = [];
  #position = 0;
  #over = false;
  #resolve!: () => void;
  #reject!: (mismatch: ReplayMismatch) => void;

  /** @throws {McpError} `invalid-definition`: an option is invalid */
  constructor(session: Iterable<Recorded>, options: ReplayOptions) {
    checkOptions(options, rules, "", ["play"]);
    const { play, opaque = ["requestState"] } = options;
    this.#session = [...session];
    this.#play = play;
    this.#opaque = opaque;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Otherwise, a rejection that no caller awaits would end the process. The channel also reports it.
    this.done.catch(() => {});
  }

  open(receiver: Receiver): void {
    this.#receiver = receiver;
    queueMicrotask(() => this.#proceed());
  }

  send(text: string): void {
    if (this.#over) return;
    this.#arrived.push(text);
    queueMicrotask(() => this.#proceed());
  }

  flush(): void {}

  async close(): Promise<void> {
    if (!this.#over) this.#proceed();
    if (this.#over) return;
    const recorded = this.#session[this.#position];
    if (recorded) this.#fail(`expected ${shown(recorded.text)}, got the end of the connection`);
    else this.#end();
  }

  /**
   * Plays the session as far as possible: sends the messages of this side, and compares the arrived messages of the
   * other side.
   */
  #proceed(): void {
    if (!this.#receiver) return;
    let sent = false;
    while (!this.#over) {
      const recorded = this.#session[this.#position];
      if (recorded?.from === this.#play) {
        this.#position++;
        sent = true;
        this.#receiver.message(this.#current(recorded.text));
      } else {
        const text = this.#arrived.shift();
        if (text === undefined) break;
        this.#take(recorded, text);
      }
    }
    if (sent) this.#receiver.turn();
    if (this.#position === this.#session.length && !this.#over) this.#resolve();
  }

  #take(recorded: Recorded | undefined, text: string): void {
    if (!recorded) return this.#fail(`expected nothing more, got ${shown(text)}`);
    const difference = firstDifference(parsed(recorded.text), parsed(text), this.#differing);
    if (!difference) return void this.#position++;
    const { pointer, expected, got } = difference;
    const place = pointer === "" ? "" : `${pointer}: `;
    this.#fail(
      `${place}expected ${shown(expected)}, got ${shown(got)}; the whole message: ${shown(text)}`,
      difference,
    );
  }

  #current(text: string): string {
    if (this.#renewed.size === 0) return text;
    return JSON.stringify(JSON.parse(text), (_, value: unknown) =>
      typeof value === "string" ? (this.#renewed.get(value) ?? value) : value,
    );
  }

  readonly #differing = (member: string, expected: string, got: string): boolean => {
    if (!this.#opaque.includes(member)) return false;
    this.#renewed.set(expected, got);
    return true;
  };

  #fail(what: string, difference?: Difference): void {
    const place = `message ${this.#position + 1} of ${this.#session.length}`;
    const mismatch = new ReplayMismatch(`${place}: ${what}.`, this.#position, difference);
    this.#reject(mismatch);
    this.#end(mismatch);
  }

  #end(reason?: Error): void {
    this.#over = true;
    queueMicrotask(() => this.#receiver?.closed(reason));
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}

/** The first place where two JSON values differ. */
export interface Difference {
  readonly pointer: string;
  readonly expected: unknown;
  readonly got: unknown;
}

/**
 * Compares two JSON values without regard to the order of members.
 *
 * @param differing called for strings that differ; returns whether the difference is allowed
 */
function firstDifference(
  expected: unknown,
  got: unknown,
  differing: (member: string, expected: string, got: string) => boolean,
  pointer = "",
): Difference | undefined {
  if (Object.is(expected, got)) return undefined;
  const keys = keysOfBoth(expected, got);
  if (keys) {
    const [one, other] = [expected, got] as readonly Readonly<Record<string, unknown>>[];
    for (const key of keys) {
      const place = `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const difference = firstDifference(one![key], other![key], differing, place);
      if (difference) return difference;
    }
    return undefined;
  }
  const member = pointer.slice(pointer.lastIndexOf("/") + 1);
  if (typeof expected === "string" && typeof got === "string" && differing(member, expected, got))
    return undefined;
  return { pointer, expected, got };
}

/** The indices of two lists, the names of the members of two objects; `undefined` for other values. */
function keysOfBoth(one: unknown, other: unknown): string[] | undefined {
  if (Array.isArray(one) && Array.isArray(other))
    return Array.from({ length: Math.max(one.length, other.length) }, (_, index) => String(index));
  return isObject(one) && isObject(other) ? Object.keys({ ...one, ...other }) : undefined;
}
