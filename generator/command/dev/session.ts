import { basename, resolve } from "node:path";
import { type Channel, type Runtime, loadRecording } from "../../capture/runtime.js";
import { recorded, OwnSession } from "../../dev/own-session.js";
import { ProxiedSession } from "../../dev/proxied-session.js";
import { WriteRoot } from "../../files/write-root.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import { serverOptions } from "../server-options.js";
import type { DevelopedServer } from "./server-command.js";

/** The connections to the server under development. */
export interface Session {
  readonly isRunning: boolean;
  /** Ends the server, and starts the next. @throws Error it does not answer */
  restart(): Promise<void>;
  /** Ends everything; resolves when no process is left. */
  close(): Promise<void>;
}

/** Wraps the channel to each server. */
export type Recorder = (channel: Channel) => Channel;

interface SessionEvents {
  /** The server ended by itself. */
  readonly lost: (reason: Error | undefined) => void;
  /** The client closed its connection. */
  readonly ended: () => void;
  readonly record: Recorder;
}

/** Milliseconds for each step of ending a server: the end of its input, then SIGTERM. */
const grace = { inputGrace: 500, terminateGrace: 1_000 };

/** The session that the options ask for: that of a client at standard input, or one of this program. */
export function openSession(
  runtime: Runtime,
  { source, directory }: DevelopedServer,
  args: Arguments,
  context: CommandContext,
  { lost, ended, record }: SessionEvents,
): Session {
  const options = { ...serverOptions(args, context), directory };
  if (!args.flag("stdio")) return new OwnSession(runtime, source, options);
  const command = runtime.parseStdioSource(source);
  const { variables, onStderr } = options;
  const start = (): Channel =>
    runtime.stdioClientChannel(command, { cwd: directory, env: variables, stderr: onStderr, ...grace });
  return new ProxiedSession({
    client: runtime.streamChannel(process.stdin, process.stdout, { backlog: Infinity }),
    start: () => record(start()),
    onLost: lost,
    onEnd: ended,
  });
}

/** Records the channel to each server, where that is asked for; the file holds the last connection. */
export async function recorder(args: Arguments, { directory }: CommandContext): Promise<Recorder> {
  const file = args.string("record");
  if (file === undefined) return (channel) => channel;
  const Recording = await loadRecording();
  const path = resolve(directory, file);
  const root = WriteRoot.ofFile(path, directory);
  return (channel) => recorded(channel, new Recording(), root, basename(path));
}
