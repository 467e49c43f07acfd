import { spawn } from "node:child_process";
import { join } from "node:path";
import { HeldFolder, WriteRoot } from "../files/held-folder.js";
import { writeFiles } from "../files/writer.js";
import { type FakeModel, type ModelCall, fakeModel } from "./model/fake-model.js";
import type { OfferedTool } from "./model/dialect.js";
import type { HostProgram, HostServer } from "./program.js";
import { refusingProxy } from "./refusing-proxy.js";

export interface HostRunRequest {
  readonly program: HostProgram;
  /** The file to run. */
  readonly file: string;
  readonly server: HostServer;
  readonly script: readonly ModelCall[];
  readonly find: (tool: string, offered: readonly OfferedTool[]) => OfferedTool | undefined;
  /** Milliseconds until the host is ended. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
}

export interface HostRun {
  readonly turns: FakeModel["turns"];
  /** Places in the script of the calls that no turn took. */
  readonly left: readonly number[];
  /** Addresses outside of this machine that the host asked for, and did not get. */
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

/**
 * Lets a host play a script with a server, in a home folder that is deleted at the end, with an environment made
 * from nothing, and with proxies that refuse every other machine.
 *
 * @throws Error with the code of the system if the file cannot be started
 */
export async function runHost(request: HostRunRequest): Promise<HostRun> {
  const root = WriteRoot.temporary();
  const home = root.folder;
  const [model, proxy] = await Promise.all([
    fakeModel({ script: request.script, find: request.find }),
    refusingProxy(),
  ]);
  try {
    const start = request.program.start(serverName, request.server, model.url);
    writeFiles(
      root,
      Object.entries(start.files).map(([path, content]) => ({ path, content, isPrivate: true })),
    );
    const { PATH = "", LANG = "C.UTF-8" } = process.env;
    const folders = { HOME: home, TMPDIR: home, XDG_CONFIG_HOME: join(home, ".config") };
    const env = { PATH, LANG, TERM: "dumb", CI: "1", ...folders, ...proxy.variables, ...start.env };
    const ended = await endOf(request, start.args, { cwd: home, env });
    return { ...ended, turns: model.turns, left: model.left, outside: [...proxy.asked] };
  } finally {
    await Promise.all([model.close(), proxy.close()]);
    HeldFolder.discard(home);
  }
}

type Ended = Pick<HostRun, "output" | "exitCode" | "milliseconds">;

/** Runs the program until its end, or until the time is over: then its whole process group is ended. */
function endOf(
  { file, timeout, signal }: HostRunRequest,
  args: readonly string[],
  place: { readonly cwd: string; readonly env: Record<string, string> },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn(file, args, { ...place, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const hear = (text: Buffer): void => void (output = (output + text.toString()).slice(-mostOutput));
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    const end = (): void => {
      try {
        process.kill(-child.pid!, "SIGKILL");
      } catch {
        // The group has ended.
      }
    };
    const timer = setTimeout(() => {
      end();
      // A process that has left the group may hold them.
      child.stdout.destroy();
      child.stderr.destroy();
    }, timeout);
    signal?.addEventListener("abort", end, { once: true });
    child.once("error", (error) => (clearTimeout(timer), reject(error)));
    // Servers and helpers that the host leaves behind.
    child.once("exit", end);
    child.once("close", (exitCode) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve({ output, exitCode: exitCode ?? undefined, milliseconds: performance.now() - began });
    });
  });
}
