import { type Channel, checkOptions, McpError, type Receiver, withTimeout } from "@mcpgen/base";
import { Child } from "./child.js";
import { type Exit, type StdioClientOptions, clientRules } from "./client-options.js";
import { MessageReader } from "./message-reader.js";
import { MessageWriter } from "./stream-channel.js";
import type { Command } from "./command.js";

/** The `data` of errors about the process of a server. */
export interface ServerProcessDetails {
  readonly command: Command;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The last 8 KiB of standard error. */
  readonly stderr: string;
}

/** Milliseconds from the end of a stream to the end of the process, which a busy machine reports later. */
const exitGrace = 1000;

/** A channel to a server in a child process. */
export interface StdioClientChannel extends Channel {
  /** The id of the process; `undefined` if it did not start. */
  readonly pid: number | undefined;
  /** Resolves when the process has ended; `error` is the reason if it did not start. */
  readonly exited: Promise<Exit>;
}

/**
 * Starts a server and returns the channel to it. The program is started without a shell, in its own process group.
 * `close` ends all its processes and resolves when they have ended. If the server ends by itself or cannot be started,
 * `closed` of the receiver gets an `McpError`, `connection-closed` or `spawn-failed`, with `ServerProcessDetails`.
 *
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function stdioClientChannel(command: Command, options: StdioClientOptions = {}): StdioClientChannel {
  checkOptions(options, clientRules);
  try {
    return new RunningServer(command, new Child(command, options), options.limit);
  } catch (error) {
    // Arguments that cannot be passed are reported like a program that does not exist.
    return new NotStarted(error instanceof McpError ? error : notStarted(command, error as Error));
  }
}

class RunningServer implements StdioClientChannel {
  readonly pid: number | undefined;
  readonly exited: Promise<Exit>;
  readonly #command: Command;
  readonly #child: Child;
  readonly #limit: number | undefined;
  readonly #writer: MessageWriter;
  #reader: MessageReader | undefined;
  #receiver: Receiver | undefined;
  #over: { readonly reason: Error | undefined } | undefined;
  #closing = false;

  constructor(command: Command, child: Child, limit: number | undefined) {
    this.pid = child.pid;
    this.exited = child.over;
    this.#command = command;
    this.#child = child;
    this.#limit = limit;
    this.#writer = new MessageWriter(
      child.input,
      // Reading continues while messages wait to be written, because the server may read again only after its own
      // output is read. It stops if the server sends requests without reading the answers.
      {
        full: () => this.#reader?.halt(),
        drained: () => this.#reader?.resume(),
        broken: () => void this.#lose("no longer reads its input"),
      },
      { backlog: Infinity },
    );
    child.output.on("error", () => {});
    void child.over.then((exit) => this.#finish(this.#reason(exit)));
  }

  open(receiver: Receiver): void {
    this.#receiver = receiver;
    if (this.#over !== undefined) {
      const { reason } = this.#over;
      return queueMicrotask(() => receiver.closed(reason));
    }
    const ended = (): void => void this.#lose("has closed its output");
    this.#reader = new MessageReader(this.#child.output, this.#writer, receiver, ended, this.#limit);
  }

  send(text: string): void {
    this.#writer.send(text);
  }

  reply(text: string): void {
    this.#writer.reply(text);
  }

  flush(): void {
    this.#writer.flush();
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#reader?.stop();
    // A full pipe must not keep the server from ending.
    this.#child.output.resume();
    const sent = this.#writer.close(true);
    await this.#child.end();
    await sent;
    this.#finish(undefined);
  }

  /** A stream has ended. Usually the process has ended, too; its exit is then the better reason. */
  async #lose(what: string): Promise<void> {
    if (this.#closing || this.#over !== undefined) return;
    await withTimeout(exitGrace, this.#child.over);
    // A process that was left behind may hold a stream open.
    const exit = this.#child.exit();
    this.#finish(
      exit ? this.#reason(exit) : closed(this.#command, `the server ${what}`, this.#child, unknownExit),
    );
    await this.#child.end();
  }

  #reason(exit: Exit): Error {
    if (exit.error !== undefined) return notStarted(this.#command, exit.error);
    const how = exit.signal === null ? `exited with code ${exit.exitCode}` : `was ended by ${exit.signal}`;
    return closed(this.#command, `the server ${how}`, this.#child, exit);
  }

  #finish(reason: Error | undefined): void {
    if (this.#over !== undefined) return;
    this.#over = { reason: this.#closing ? undefined : reason };
    this.#reader?.stop();
    this.#receiver?.closed(this.#over.reason);
  }
}

/** The channel to a server that could not be started. */
class NotStarted implements StdioClientChannel {
  readonly pid = undefined;
  readonly exited: Promise<Exit>;
  readonly #reason: McpError;

  constructor(reason: McpError) {
    this.#reason = reason;
    this.exited = Promise.resolve({ exitCode: null, signal: null, error: reason });
  }

  open(receiver: Receiver): void {
    queueMicrotask(() => receiver.closed(this.#reason));
  }

  send(): void {}

  flush(): void {}

  async close(): Promise<void> {}
}

const unknownExit: Exit = { exitCode: null, signal: null };

function closed(command: Command, what: string, child: Child, exit: Exit): McpError {
  const stderr = child.stderrTail();
  const lastLine = stderr.trimEnd().split("\n").at(-1)!;
  const data: ServerProcessDetails = { command, exitCode: exit.exitCode, signal: exit.signal, stderr };
  return new McpError(
    "connection-closed",
    lastLine === "" ? what : `${what}; its last line on standard error: ${lastLine}`,
    { data },
  );
}

function notStarted(command: Command, cause: NodeJS.ErrnoException): McpError {
  const data: ServerProcessDetails = { command, exitCode: null, signal: null, stderr: "" };
  const why = spawnErrors[cause.code ?? ""] ?? cause.message;
  return new McpError("spawn-failed", `cannot start ${JSON.stringify(command[0])}: ${why}`, { cause, data });
}

/** Texts for the error codes of the system. */
const spawnErrors: Readonly<Record<string, string>> = {
  ENOENT: "there is no such program in PATH, or no such working directory (ENOENT)",
  EACCES: "it is not executable (EACCES)",
};
