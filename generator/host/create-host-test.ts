import { statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { loadRuntime } from "../capture/runtime.js";
import { type ServerSource, addressOf } from "../capture/server-source.js";
import { type ServerOptions, httpServer, withServer } from "../capture/with-server.js";
import type { ContractTool } from "../contract/contract.js";
import { CodedError } from "../diagnostics/coded-error.js";
import { type HostTest, testHost } from "./host-test.js";
import type { ModelCall } from "./model/fake-model.js";
import { type HostName, hostNames } from "../lint/host-rows.js";
import { type HostProgram, type HostServer, type Variables, hostPrograms } from "./program.js";

export interface HostTestOptions {
  readonly host: HostName;
  /** `http(s)://…` or `stdio:COMMAND …`. */
  readonly server: string;
  /** The calls that the model makes, by the names that the server lists. */
  readonly script: readonly ModelCall[];
  /** Folder in which the command starts. Default: the working directory. */
  readonly directory?: string;
  /** Headers of all requests to the server. */
  readonly headers?: Variables;
  /** Variables of the server's process. */
  readonly env?: Variables;
  /** Milliseconds until the host is ended. Default: 120,000. */
  readonly timeout?: number;
  /** Runs the host once more with each of: a restart, a lost session, a slow tool, a cut, a changed list. */
  readonly faults?: boolean;
  /** Milliseconds of the slow tool. Default: 30,000. */
  readonly slow?: number;
  readonly signal?: AbortSignal;
}

/**
 * Runs an installed host with a scripted model and a server, without a network: which tools the model gets, how the host
 * changed them, and each result as the model sees it. For tests of any runner.
 *
 * @throws CodedError MG2004 for an unknown host, MG6331 if it is not installed, MG6333 if it cannot be started, and MG41xx if
 *   the server cannot be reached; the reason of a signal that aborts it
 */
export async function createHostTest(options: HostTestOptions): Promise<HostTest> {
  const { host, server: source, directory = process.cwd(), headers = {}, env = {}, ...rest } = options;
  if (!hostNames.includes(host))
    throw new CodedError("MG2004", `expected host to be one of ${hostNames.join(", ")}`);
  const program = hostPrograms[host];
  const file = installedFile(program, directory, process.env["PATH"]);
  if (file === undefined) throw notInstalled(program);
  const reach = { directory, headers, variables: env, signal: rest.signal };
  const { items } = await withServer(source, reach, (client) => client.listTools());
  const server = await hostServer(source, reach);
  return testHost({ program, file, server, listed: items as unknown as ContractTool[], ...rest });
}

/** The program of a host in a project, if one is given, or in a folder of PATH. */
export function installedFile(
  { program }: HostProgram,
  directory: string | undefined,
  path = "",
): string | undefined {
  const own = directory === undefined ? [] : [join(directory, "node_modules/.bin")];
  return [...own, ...path.split(delimiter).filter((folder) => folder !== "")]
    .map((folder) => join(folder, program))
    .find((file) => {
      const found = statSync(file, { throwIfNoEntry: false });
      return found?.isFile() && (found.mode & 0o111) !== 0;
    });
}

export function notInstalled({ name, package: from }: HostProgram): CodedError {
  return new CodedError("MG6331", `${name} is not installed`, { next: `Run: npm install --global ${from}` });
}

/** The server as a host's configuration names it; a command starts in its own folder, not in that of the host. */
export async function hostServer(source: ServerSource, options: ServerOptions): Promise<HostServer> {
  const { directory, variables } = options;
  const address = addressOf(source, directory, await loadRuntime());
  if (address.kind === "http") return httpServer(address, options);
  return {
    command: "/bin/sh",
    args: ["-c", 'cd "$0" && exec "$@"', address.cwd, ...address.command],
    env: { ...address.env, ...variables },
  };
}
