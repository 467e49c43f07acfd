import { join } from "node:path";
import { interruption } from "../capture/interruption.js";
import { atExit, runProgram } from "../capture/process-group.js";
import type { SentTools } from "../capture/sent-tools.js";
import { HeldFolder, WriteRoot } from "../files/held-folder.js";
import { writeFiles } from "../files/writer.js";
import { type FakeModel, type FakeModelOptions, fakeModel } from "./model/fake-model.js";
import { type HostProgram, type HostServer, hostFailure } from "./program.js";
import { refusingProxy } from "./refusing-proxy.js";
import { type RelayOptions, type ServedCall, relayTo } from "./relay.js";

export interface HostRunRequest extends RelayOptions, FakeModelOptions {
  readonly program: HostProgram;
  /** The file to run. */
  readonly file: string;
  readonly server: HostServer;
  /** Milliseconds until the host is ended. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

export interface HostRun {
  readonly turns: FakeModel["turns"];
  /** Places in the script of the calls that no turn took. */
  readonly left: readonly number[];
  /** The calls that reached the server. */
  readonly served: readonly ServedCall[];
  /** The tools that the server listed to the host. */
  readonly listed: SentTools;
  /** The revision of the handshake; undefined without one. */
  readonly revision: string | undefined;
  /** Milliseconds from the start of the server's command to its first message; undefined over HTTP. */
  readonly startup: number | undefined;
  /** Whether the fault met a call. */
  readonly isMet: boolean;
  /** Addresses outside of this machine that the host asked for, and did not get, in the order of the alphabet. */
  readonly outside: readonly string[];
  /** What the host printed, at most the last 64 KiB. */
  readonly output: string;
  /** Absent if the host was ended. */
  readonly exitCode: number | undefined;
  readonly milliseconds: number;
}

/** The name by which hosts know the server. */
export const serverName = "tested";

const mostOutput = 65_536;

/** The longest time in milliseconds that a timer takes. */
const longest = 2 ** 31 - 1;

/**
 * Lets a host play a script with a server, in a home folder that is deleted at the end, with an environment made
 * from nothing, and with proxies that refuse every other machine.
 *
 * @throws CodedError MG6333 if the file cannot be started; the reason of the signal that aborts it
 */
export async function runHost(request: HostRunRequest): Promise<HostRun> {
  const run = await runOnce(request);
  // On a busy machine, a host may ask its model before its servers have started.
  const isEarly = run.left.length > 0 && run.left.length === request.script.length;
  const timeout = request.timeout - run.milliseconds;
  return isEarly && run.exitCode !== undefined && timeout > 0 ? runOnce({ ...request, timeout }) : run;
}

/** Runs the host once. A signal that ends this process ends all that was started first. */
async function runOnce({ signal: given, ...request }: HostRunRequest): Promise<HostRun> {
  given?.throwIfAborted();
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, ...(given ? [given] : [])]);
  const running = runIn(WriteRoot.temporary(), { ...request, signal });
  return running.finally(interruption.endsFirst(() => (ending.abort(), running)));
}

async function runIn(root: WriteRoot, request: HostRunRequest): Promise<HostRun> {
  const home = root.folder;
  const discard = (): void => HeldFolder.discard(home);
  // A second signal ends this process at once.
  const discarded = atExit(discard);
  const open: { close(): Promise<unknown> }[] = [];
  const kept = <T extends (typeof open)[number]>(each: T): T => (open.push(each), each);
  try {
    const model = kept(await fakeModel(request));
    const proxy = kept(await refusingProxy());
    const relay = kept(await relayTo(request.server, home, request));
    request.signal?.throwIfAborted();
    const start = request.program.start(serverName, relay.server, model.url);
    writeFiles(
      root,
      Object.entries(start.files).map(([path, content]) => ({ path, content, isPrivate: true })),
    );
    const { PATH = "", LANG = "C.UTF-8" } = process.env;
    // Hosts keep secrets by programs of the session, which they know by their sockets in XDG_RUNTIME_DIR.
    const folders = {
      ...{ HOME: home, TMPDIR: home, XDG_RUNTIME_DIR: home },
      XDG_CONFIG_HOME: join(home, ".config"),
    };
    const env = { PATH, LANG, TERM: "dumb", CI: "1", ...folders, ...proxy.variables, ...start.env };
    const ended = await endOf(request, start.args, { cwd: home, env });
    request.signal?.throwIfAborted();
    const { calls: served, listed, revision, startup, isMet } = relay;
    const outside = [...proxy.asked].toSorted();
    // Errors of hosts name the address: that of the server, not that of this run.
    const [near, far] = [relay.server, request.server].map((each) =>
      "url" in each ? new URL(each.url).origin : home,
    );
    const seen = JSON.stringify(model.turns).replaceAll(near!, far!).replaceAll(home, "~");
    return {
      ...ended,
      turns: JSON.parse(seen) as HostRun["turns"],
      left: model.left,
      served,
      ...{ listed, revision, startup },
      isMet,
      outside,
    };
  } finally {
    await Promise.allSettled(open.map((each) => each.close()));
    discarded();
    discard();
  }
}

type Ended = Pick<HostRun, "output" | "exitCode" | "milliseconds">;

/** Runs the program until its end, or until the time is over. */
async function endOf(
  { program, file, timeout, signal }: HostRunRequest,
  args: readonly string[],
  place: { readonly cwd: string; readonly env: Record<string, string> },
): Promise<Ended> {
  const began = performance.now();
  let output = "";
  const heard = (text: string): void => void (output = (output + text).slice(-mostOutput));
  // Not `AbortSignal.timeout`: `AbortSignal.any` does not keep its sources, and the garbage collector of Node.js 20 takes them.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), Math.min(timeout, longest));
  const ending = AbortSignal.any([late.signal, ...(signal ? [signal] : [])]);
  try {
    const [code] = await runProgram(file, args, { ...place, signal: ending, endsRest: true, heard });
    return { output, exitCode: code ?? undefined, milliseconds: performance.now() - began };
  } catch (error) {
    const { syscall, code } = error as NodeJS.ErrnoException;
    throw syscall?.startsWith("spawn")
      ? hostFailure(program, `cannot be started: ${code}`, { cause: error })
      : error;
  } finally {
    clearTimeout(timer);
  }
}
