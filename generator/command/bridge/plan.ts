import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { ServerSource } from "../../capture/server-source.js";
import type { ServerOptions } from "../../capture/with-server.js";
import {
  type BridgeConfig,
  type BridgeHttp,
  type BridgedServer,
  readBridgeConfig,
} from "../../config/bridge-config.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import { authorizationOf } from "../authorization.js";
import type { Arguments, CommandContext } from "../command.js";
import { expectServer, serverOptions } from "../server-options.js";
import { serverSource } from "../servers/named-servers.js";

/** A server behind the bridge, and how to reach it. */
export interface Back {
  readonly name: string;
  readonly source: ServerSource;
  /** Its options of `createBridge`. */
  readonly settings: Omit<BridgedServer, "source" | "login">;
  readonly options: ServerOptions;
}

/** What the command line and the file of `--config` ask for. */
export interface Plan {
  readonly backs: readonly Back[];
  /** Options of `createBridge`. */
  readonly options: Pick<BridgeConfig, "ask" | "headers" | "identity">;
  /** Absent for a bridge on standard input and output. */
  readonly http: BridgeHttp | undefined;
  /** Absolute path. */
  readonly contract: string | undefined;
  readonly isFrozen: boolean;
}

/**
 * Reads the command line, and the file that it names. Believes no other file.
 *
 * @param serves whether the bridge is to listen where the plan says
 */
export async function planOf(args: Arguments, context: CommandContext, serves: boolean): Promise<Plan> {
  const { directory } = context;
  const named = args.string("config");
  const file = named === undefined ? undefined : resolve(directory, named);
  if (file !== undefined && existsSync(file)) {
    // To name it is to want what it starts. A file that another user could have written is refused.
    const because = "it names servers to start and to reach";
    await context.trust.runningCode(args).expect({ file, folder: dirname(file), because });
  }
  const config = file === undefined ? undefined : await readBridgeConfig(file);
  const http = serves ? httpOf(args, config) : undefined;
  const servers = await serversOf(args, config, context);
  expectServer(
    args,
    servers.map(({ source }) => source),
    directory,
  );
  const logins = servers.filter(({ settings }) => settings.login || args.flag("login"));
  if (http && logins.length > 0)
    throw new CodedError("MG2005", "a login is of one user, and a bridge over HTTP serves many", {
      next: "Leave the login out, and pass what the server asks for: --header NAME:VALUE; or leave --http out.",
    });
  const folder = file === undefined ? directory : dirname(file);
  const backs = servers.map(({ name, source, settings: { login, ...settings } }): Back => {
    const options = serverOptions(args, context);
    const { revision = options.revision } = settings;
    const opensBrowser = login === true || args.flag("login");
    // Callers over HTTP must not use what the user of this process may do.
    const authorization = http ? undefined : authorizationOf(args, context, opensBrowser);
    return {
      ...{ name, source, settings: { ...settings, ...(revision !== undefined && { revision }) } },
      options: { ...options, revision, directory: folder, authorization },
    };
  });
  const contract = args.string("contract") ?? (config?.contract && resolve(folder, config.contract));
  const { ask, headers, identity } = config ?? {};
  return {
    backs,
    options: { ...(ask && { ask }), ...(headers && { headers }), ...(identity && { identity }) },
    http,
    contract: contract === undefined ? undefined : resolve(directory, contract),
    isFrozen: args.flag("frozen") || config?.frozen === true,
  };
}

/** Where the bridge listens; the command line goes before the file. */
function httpOf(args: Arguments, config: BridgeConfig | undefined): BridgeHttp | undefined {
  const text = args.string("http");
  const sse = { ...(args.flag("sse") && { sse: true }) };
  if (text === undefined) return config?.http && { ...config.http, ...sse };
  const [, address, name, port] = /^(?:(?:\[([\da-f:.]+)\]|([^\s/:[\]]+)):)?(\d{1,5})$/i.exec(text) ?? [];
  const host = address ?? name;
  if (port !== undefined && Number(port) < 65_536)
    return { ...config?.http, port: Number(port), ...(host !== undefined && { host }), ...sse };
  throw new CodedError("MG2004", `expected --http to be PORT or HOST:PORT, got ${JSON.stringify(text)}`, {
    next: "Give a port from 0 to 65535; 0 stands for any free one.",
  });
}

/** A server as it is written. */
interface Written extends Pick<Back, "name" | "source"> {
  readonly settings: Omit<BridgedServer, "source">;
}

/** The servers of the command line or of the file, each with a name. */
async function serversOf(
  args: Arguments,
  config: BridgeConfig | undefined,
  context: CommandContext,
): Promise<Written[]> {
  const words = args.strings("source") ?? [];
  if (config && words.length > 0)
    throw new CodedError("MG2005", "the file of --config names the servers, and the command line, too", {
      next: "Leave one of them out.",
    });
  if (config)
    return Object.entries(config.servers).map(([name, { source, ...settings }]) => ({
      ...{ name, source, settings },
    }));
  if (words.length === 0)
    throw new CodedError("MG2003", "expected a server: http(s)://…, stdio:COMMAND … or a name", {
      next: "Name it, or a file with servers: --config FILE.",
    });
  const found: Written[] = [];
  for (const word of words) {
    const [, name = words.length > 1 ? undefined : "server", source = word] =
      /^([A-Za-z][\w-]*)=(.+)$/s.exec(word) ?? [];
    if (name === undefined || found.some((other) => other.name === name))
      throw new CodedError("MG2004", "expected each of several servers to have its own name", {
        next: "Write NAME=SOURCE for each of them.",
      });
    found.push({ name, source: await serverSource(source, args, context), settings: {} });
  }
  return found;
}
