import { interruption } from "../capture/interruption.js";
import { type BridgeRuntime, type BridgeServer, loadBridge, loadLinks } from "../capture/runtime.js";
import { isRuntimeError } from "../capture/server-error.js";
import { afterLogins, connectable, inTime } from "../capture/with-server.js";
import type { BridgeHttp } from "../config/bridge-config.js";
import type { Contract } from "../contract/contract.js";
import { CodedError } from "../diagnostics/coded-error.js";
import { printable } from "../print/terminal-text.js";
import { type CommandContext, type RunCommand, contextWith } from "./command.js";
import { type Plan, planOf } from "./bridge/plan.js";

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
  // Most bridges have no contract: what compares contracts would slow their start.
  const contract =
    plan.contract !== undefined || plan.isFrozen
      ? await (await import("./bridge/approval.js")).pinnedContract(plan, args, context)
      : undefined;
  const packages = await loadBridge(http ? "http" : "stdio");
  const open: BridgeServer[] = [];
  const end = async (): Promise<void> => {
    for (const each of open.splice(0).reverse()) await each.close();
  };
  const released = interruption.endsFirst(end);
  try {
    const server = await openBridge(plan, { ...packages, contract }, context);
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

/** Connects the bridge to its servers, after logins that they need. @throws CodedError MG41xx, MG2004 */
async function openBridge(
  { backs, options }: Plan,
  { createBridge, contract }: BridgeRuntime & { readonly contract: Contract | undefined },
  { console }: CommandContext,
): Promise<BridgeServer> {
  const runtime = await loadLinks();
  const reached = await Promise.all(backs.map((back) => connectable(runtime, back.source, back.options)));
  const servers = backs.map(({ name, settings }, index) => {
    const { source, authorize } = reached[index]!;
    return [name, { ...settings, source, ...(authorize && { authorize }) }] as const;
  });
  const onEvent = (event: { readonly type: string; readonly message?: string; readonly server?: string }) => {
    const print = event.type === "contract-drift" || event.type === "left-out" ? "note" : "detail";
    console[print](printable([event.server, event.type, event.message].filter(Boolean).join(": ")));
    return true;
  };
  try {
    return await afterLogins(async () => {
      const opening = createBridge(Object.fromEntries(servers), {
        ...options,
        ...(contract && { contract }),
        onEvent,
      });
      try {
        return await inTime(opening, backs[0]!.options.timeout);
      } catch (error) {
        void opening.then((server) => server.close()).catch(() => {});
        // Only the address is left to be wrong where there is one server.
        if (isRuntimeError(error) && error.code === "invalid-definition" && backs.length > 1)
          throw new CodedError("MG2004", error.message, {
            next: "Give the server another name.",
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
