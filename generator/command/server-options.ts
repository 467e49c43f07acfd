import { CodedError } from "../diagnostics/coded-error.js";
import {
  type ServerSource,
  addressOf,
  isServerSource,
  kindOfServer,
  meantAdvice,
  replacing,
} from "../capture/server-source.js";
import { loadRuntime } from "../capture/runtime.js";
import type { ServerOptions } from "../capture/with-server.js";
import type { ServerStart } from "../page/offer/connect.js";
import type { Arguments, CommandContext } from "./command.js";
import { namedVariable } from "./servers/expand.js";
import { secrets } from "../secrets/secrets.js";
import { printable } from "../print/terminal-text.js";
import { authorizationOf } from "./authorization.js";

/** For each option, the kinds of server that it applies to. */
const reached: Readonly<
  Record<string, readonly [fits: (source: ServerSource) => boolean, expected: string]>
> = {
  timeout: [isServerSource, "http(s)://… or stdio:COMMAND …"],
  header: [(source) => kindOfServer(source) === "http", "http(s)://…"],
  env: [(source) => kindOfServer(source) === "stdio", "stdio:COMMAND …"],
  input: [(source) => typeof source !== "string", "one that a host's file names"],
  "token-store": [(source) => kindOfServer(source) === "http", "http(s)://…"],
  "no-browser": [(source) => kindOfServer(source) === "http", "http(s)://…"],
  device: [(source) => kindOfServer(source) === "http", "http(s)://…"],
};

/**
 * Rejects a server option that applies to none of the sources.
 *
 * @param directory the folder that relative paths start from
 * @throws CodedError MG2005
 */
export function expectServer(args: Arguments, sources: readonly ServerSource[], directory: string): void {
  expectOneReceiver(args, sources);
  for (const [name, [fits, expected]] of Object.entries(reached)) {
    if (!args.given(name) || sources.some(fits)) continue;
    throw new CodedError("MG2005", `--${name} needs a server, ${expected}, and none is named`, {
      next: meantServer(sources, directory) ?? "Leave it out, or name the server.",
    });
  }
}

/** Advice for a source that resembles a server. */
function meantServer(sources: readonly ServerSource[], directory: string): string | undefined {
  const meant = sources.map((source) =>
    typeof source === "string" ? meantAdvice(source, directory) : undefined,
  );
  return meant.find((advice) => advice !== undefined);
}

/**
 * Rejects `--header` for two servers: headers hold secrets, which only one server may receive.
 *
 * @throws CodedError MG2005
 */
function expectOneReceiver(args: Arguments, sources: readonly ServerSource[]): void {
  const origins = sources
    .filter((source) => kindOfServer(source) === "http")
    .map((source) => (typeof source === "string" ? source : (source.address as { readonly url: string }).url))
    .map((url) => (URL.canParse(url) ? new URL(url).origin : url));
  if (!args.given("header") || new Set(origins).size < 2) return;
  throw new CodedError("MG2005", "--header is for one server, and two are named", {
    next: "Capture one first: `mcpgen capture SERVER --header … --out FILE`; or name both in a host's file.",
  });
}

/** Same as `expectServer` for one server. Does not check whether the source is a server. */
export function expectReach(args: Arguments, source: ServerSource, directory: string): void {
  if (isServerSource(source)) expectServer(args, [source], directory);
}

/** Reads the options that say how to reach a server. */
export function serverOptions(args: Arguments, context: CommandContext): ServerOptions {
  const { console, directory } = context;
  const headers = (args.strings("header") ?? []).map(header);
  const given = variables(args.strings("env") ?? [], context);
  secrets.learnHeaders(headers);
  secrets.learnVariables(given);
  return {
    directory,
    revision: args.string("revision"),
    timeout: milliseconds(args, "timeout"),
    headers: headers.reduce((all, each) => replacing(all, Object.fromEntries([each])), {}),
    variables: given,
    authorization: authorizationOf(args, context),
    onAsked: (what) => console.note(printable(`declined: the server asked ${what}`)),
    onStderr: console.details(),
    onSlow: () => console.progress("still waiting for the server; --revision REVISION skips the probe"),
    onConnected: ({ revision }) => console.detail(`connected: revision ${revision}`),
  };
}

/** How hosts start or reach a live server. */
export async function startOf(
  source: ServerSource,
  { directory, headers, variables }: ServerOptions,
): Promise<ServerStart> {
  const address = addressOf(source, directory, await loadRuntime());
  if (address.kind === "http")
    return { kind: "http", url: address.url, headers: Object.keys(replacing(address.headers, headers)) };
  const { command: words, env } = address;
  return { kind: "stdio", words, variables: Object.keys({ ...env, ...variables }) };
}

/** @throws CodedError MG2004 for an option that is not a number of seconds */
export function milliseconds(args: Arguments, option: string): number | undefined {
  const text = args.string(option);
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0) return Math.ceil(seconds * 1000);
  throw new CodedError(
    "MG2004",
    `expected --${option} to be a number of seconds, got ${JSON.stringify(text)}`,
    {
      next: "Give a number above 0.",
    },
  );
}

function header(text: string): [string, string] {
  const colon = text.indexOf(":");
  const [name, value] = [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
  // The error does not quote the value, which is usually a secret.
  if (colon > 0 && /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && !/[\r\n\0]/.test(value)) return [name, value];
  throw new CodedError("MG2004", "expected --header to be NAME:VALUE", {
    next: 'Quote it for the shell: --header "Authorization: Bearer …".',
  });
}

function variables(entries: readonly string[], { env }: CommandContext): Record<string, string> {
  return Object.fromEntries(
    entries.map((entry): [string, string] => {
      const [name = "", ...rest] = entry.split("=");
      const value = rest.length > 0 ? rest.join("=") : namedVariable(env, name);
      if (name !== "" && value !== undefined) return [name, value];
      throw new CodedError("MG2004", `expected --env to name a variable that is set, got ${name || "none"}`, {
        next: "Set it, or give the value: --env NAME=VALUE.",
      });
    }),
  );
}
