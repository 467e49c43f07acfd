import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { interruption } from "../capture/interruption.js";
import { type BridgeRuntime, type BridgeServer, loadBridge, loadRuntime } from "../capture/runtime.js";
import { isRuntimeError } from "../capture/server-error.js";
import type { ServerSource } from "../capture/server-source.js";
import { type ServerOptions, afterLogins, connectable, inTime } from "../capture/with-server.js";
import {
  type BridgeConfig,
  type BridgeHttp,
  type BridgedServer,
  readBridgeConfig,
} from "../config/bridge-config.js";
import { noConfig } from "../config/config.js";
import { contractText, loadContract } from "../contract/read-contract.js";
import { jsonReport } from "../diff/report/json.js";
import { summaryText } from "../diff/report/report.js";
import { textReport } from "../diff/report/text.js";
import { CodedError } from "../diagnostics/coded-error.js";
import { WriteRoot } from "../files/held-folder.js";
import { readTextIfPresent } from "../files/regular-file.js";
import { unifiedDiff } from "../files/unified-diff.js";
import { putText } from "../files/writer.js";
import { printable, shellLine, shownPath } from "../print/terminal-text.js";
import { authorizationOf } from "./authorization.js";
import { withKnown } from "./capture.js";
import { type Arguments, type CommandContext, type RunCommand, contextWith } from "./command.js";
import { canAsk } from "./console.js";
import { type ContractSource, contractSource, writtenSource } from "./contract-source.js";
import { compareContracts } from "./diff/contracts.js";
import { informing } from "./diff/policies.js";
import { expectServer, serverOptions } from "./server-options.js";
import { serverSource } from "./servers/named-servers.js";

/** A server behind the bridge, and how to reach it. */
interface Back {
  readonly name: string;
  readonly source: ServerSource;
  readonly settings: Omit<BridgedServer, "source">;
  readonly options: ServerOptions;
}

/** What the command line and the file of `--config` ask for. */
interface Plan {
  readonly backs: readonly Back[];
  /** Options of `createBridge`. */
  readonly options: Pick<BridgeConfig, "ask" | "headers" | "identity">;
  /** Absent for a bridge on standard input and output. */
  readonly http: BridgeHttp | undefined;
  /** Absolute path. */
  readonly contract: string | undefined;
  readonly isFrozen: boolean;
}

/** Serves another server to any client, until the client or a signal ends it. */
export const bridge: RunCommand = async (args, given) => {
  // The client is at standard input: an answer to a question would be taken from its messages.
  const context = contextWith(given, { terminal: undefined });
  const plan = await planOf(args, context, true);
  const { http } = plan;
  if (!http && context.console.settings.format === "json")
    throw new CodedError("MG2005", "--json and a bridge on standard input and output exclude each other", {
      next: "Leave --json out, or serve over HTTP: --http PORT.",
    });
  await expectContract(plan, args, context);
  const packages = await loadBridge();
  const open: BridgeServer[] = [];
  const end = async (): Promise<void> => {
    for (const each of open.splice(0).reverse()) await each.close();
  };
  const released = interruption.endsFirst(end);
  try {
    const server = await openBridge(plan, packages, context);
    open.push(server);
    if (http) {
      const front = await listen(server, plan, http, packages);
      open.push(front);
      context.console.note(`serving ${front.url}`);
      // A signal ends it.
      await new Promise<never>(() => {});
    }
    const front = packages.serveStdio(server, { exit: false });
    open.push(front);
    await front.closed;
  } finally {
    await end();
    await released();
  }
  // The client may have closed only the output, and would keep the process.
  process.stdin.destroy();
  return {};
};

/**
 * Reads the command line, and the file that it names. Believes no other file.
 *
 * @param serves whether the bridge is to listen where the plan says
 */
async function planOf(args: Arguments, context: CommandContext, serves: boolean): Promise<Plan> {
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
  const backs = servers.map(({ name, source, settings }): Back => {
    const { revision } = settings;
    const options = { ...serverOptions(args, context), ...(revision !== undefined && { revision }) };
    const opensBrowser = settings.login === true || args.flag("login");
    // Callers over HTTP must not use what the user of this process may do.
    const authorization = http ? undefined : authorizationOf(args, context, opensBrowser);
    return { name, source, settings, options: { ...options, directory: folder, authorization } };
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

/** The servers of the command line or of the file, each with a name. */
async function serversOf(
  args: Arguments,
  config: BridgeConfig | undefined,
  context: CommandContext,
): Promise<Omit<Back, "options">[]> {
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
  const pairs = words.map((word) => /^([A-Za-z][\w-]*)=(.+)$/s.exec(word) ?? [word, undefined, word]);
  const unnamed = pairs.find(([, name]) => name === undefined);
  const names = pairs.map(([, name = "server"]) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (words.length > 1 && (unnamed || twice !== undefined))
    throw new CodedError("MG2004", "expected each of several servers to have its own name", {
      next: "Write NAME=SOURCE for each of them.",
    });
  const revision = args.string("revision");
  const settings = revision === undefined ? {} : { revision };
  const found: Omit<Back, "options">[] = [];
  for (const [index, [, , source]] of pairs.entries())
    found.push({ name: names[index]!, source: await serverSource(source!, args, context), settings });
  return found;
}

/** Connects the bridge to its servers, after logins that they need. @throws CodedError MG41xx, MG2004 */
async function openBridge(
  { backs, options }: Plan,
  { createBridge }: BridgeRuntime,
  { console }: CommandContext,
): Promise<BridgeServer> {
  const runtime = await loadRuntime();
  const reached = await Promise.all(backs.map((back) => connectable(runtime, back.source, back.options)));
  const servers = backs.map(({ name, settings: { login: _, ...settings } }, index) => {
    const { source, authorize } = reached[index]!;
    return [name, { ...settings, source, ...(authorize && { authorize }) }] as const;
  });
  const onEvent = (event: { readonly type: string; readonly message?: string; readonly server?: string }) => {
    console.detail(printable([event.server, event.type, event.message].filter(Boolean).join(": ")));
    return true;
  };
  try {
    return await afterLogins(async () => {
      const opening = createBridge(Object.fromEntries(servers), { ...options, onEvent });
      try {
        return await inTime(opening, backs[0]!.options.timeout);
      } catch (error) {
        void opening.then((server) => server.close()).catch(() => {});
        // Only the address is left to be wrong where there is one server.
        if (isRuntimeError(error) && error.code === "invalid-definition" && backs.length > 1)
          throw new CodedError("MG2004", error.message, {
            next: "Start a bridge for each server.",
            cause: error,
          });
        throw reached[0]!.errorOf(error);
      }
    });
  } catch (error) {
    await Promise.all(reached.map((each) => each.close()));
    throw error;
  }
}

async function listen(
  server: BridgeServer,
  { options: { headers } }: Plan,
  { port, host, sse }: BridgeHttp,
  { serveHttp }: BridgeRuntime,
): ReturnType<BridgeRuntime["serveHttp"]> {
  const endpoint = { port, ...(host !== undefined && { host }), ...(sse && { sse }) };
  try {
    return await serveHttp(server, { ...endpoint, ...(headers && { contextHeaders: headers }) });
  } catch (error) {
    if (!isRuntimeError(error)) throw error;
    throw new CodedError("MG2004", `the bridge cannot listen: ${error.message}`, {
      next: "Give another port, or 0 for any free one: --http PORT.",
      cause: error,
    });
  }
}

/** Compares the server with its contract before anybody is served. @throws CodedError MG6308 with `--frozen` */
async function expectContract(
  { backs, contract: file, isFrozen }: Plan,
  args: Arguments,
  context: CommandContext,
): Promise<void> {
  const [back, another] = backs as [Back, Back | undefined];
  if (file === undefined) {
    if (!isFrozen) return;
    throw new CodedError("MG2005", "--frozen needs --contract", {
      next: "Name the contract, too; `mcpgen bridge approve FILE SOURCE` writes one.",
    });
  }
  expectOne(another);
  const contract = await contractSource(file, back.options, context);
  const live = await liveSource(back, contract, context);
  const { report } = compareContracts(contract, live, informing(args, { loaded: noConfig(file) }));
  if (report.findings.length === 0) return;
  const { paintError: paint, settings } = context.console;
  const approve = shellLine(["mcpgen", "bridge", "approve", shownPath(file, context.directory), "SOURCE"]);
  if (!isFrozen) return context.console.note(textReport(report, { paint, verbose: settings.verbose }));
  throw new CodedError("MG6308", `the server is not as approved: ${summaryText(report)}`, {
    place: { file: shownPath(file, context.directory) },
    next: `Look at what changed, and approve it: \`${approve}\`.`,
    detail: textReport(report, { paint: (_, text) => text, verbose: true }),
  });
}

function expectOne(another: Back | undefined): void {
  if (another)
    throw new CodedError("MG2004", "a contract is of one server, and several are named", {
      next: "Start a bridge for each server.",
    });
}

/** What the server offers, with the entries of its contract that its lists may leave out. */
function liveSource(
  { source, options }: Back,
  { contract }: Pick<ContractSource, "contract">,
  context: CommandContext,
): Promise<ContractSource> {
  return contractSource(source, options, context, { known: contract, asked: contract.asked });
}

/** Shows what has changed at a server since its contract was approved, asks, and writes the contract. */
export const approve: RunCommand = async (args, context) => {
  const { directory, console } = context;
  const { backs } = await planOf(args, context, false);
  const [back, another] = backs as [Back, Back | undefined];
  expectOne(another);
  const file = resolve(directory, args.required("file"));
  const shown = shownPath(file, directory);
  const before = existsSync(file) ? writtenSource(await loadContract(file, shown)) : undefined;
  const live = await liveSource(back, before ?? { contract: { name: "", version: "" } }, context);
  const { name, version } = live.contract;
  const nothing = { ...live, name: shown, contract: { name, version }, findings: [], invalid: [] };
  const known = before?.contract;
  const { report } = compareContracts(
    before ?? nothing,
    live,
    informing(args, { loaded: noConfig(directory) }),
  );
  const text = await contractText(withKnown(live, known, known), file);
  const outcome = (summary: string, done: string) => ({
    findings: live.findings,
    summary: `${shown}: ${summary}`,
    data: { file: shown, written: done === "written", diff: jsonReport(report) },
  });
  const present = readTextIfPresent(file) ?? "";
  if (present === text) return outcome("unchanged", "");
  const { paint, settings } = console;
  // The report says what the changes mean; the lines are what is approved.
  const meaning =
    report.findings.length > 0 ? [textReport(report, { paint, verbose: settings.verbose })] : [];
  const shownReport = [...meaning, unifiedDiff(present, text, Infinity)].join("\n");
  const isAsked = !args.flag("yes");
  if (isAsked) {
    const { terminal } = context;
    if (terminal === undefined || !canAsk(context))
      throw new CodedError("MG2003", "expected --yes: there is no terminal to ask at", {
        next: "Look at what changed, then repeat the command with --yes.",
        detail: shownReport,
        facts: { diff: jsonReport(report) },
      });
    console.error(shownReport);
    const { confirm } = await import("@clack/prompts");
    const answer = await confirm({ ...terminal, message: `Write ${printable(shown)}?`, initialValue: false });
    if (answer !== true) return { ...outcome("not approved, and unchanged", ""), failed: true };
  }
  const done = putText(WriteRoot.ofFile(file, directory), file, text, () => undefined);
  return { ...outcome(done, done), ...(!isAsked && { text: shownReport }) };
};
