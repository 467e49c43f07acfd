import { type AnswerContext, type Client, McpError } from "@mcpgen/runtime";
import { invalid } from "@mcpgen/base";
import { ExtendedClient, ServerQuestion } from "@mcpgen/runtime/extending";
import { type CoreMethod, coreMethods, resultMethod } from "./state/core-names.js";
import type { ClientTasksOptions } from "./client/options.js";
import { type ReceiverOptions, checkReceiverOptions } from "./client/receiver-options.js";
import { ReceiverTasks } from "./client/receiver-tasks.js";

export type { ReceiverOptions } from "./client/receiver-options.js";

/** The value of the option `receiver` of `tasks`. It runs requests of the server to one client as tasks. */
export type Receiver = NonNullable<ClientTasksOptions["receiver"]>;

/** The capabilities of a client that list the requests it runs as tasks. */
type Requests = Readonly<Record<string, Readonly<Record<string, object>>>>;

const all = { sampling: { createMessage: {} }, elicitation: { create: {} } };

/**
 * Runs elicitation and sampling requests of the server as tasks (2025-11-25, tasks), so that the server need not wait
 * for the answers.
 *
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function receiver(options: ReceiverOptions = {}): Receiver {
  checkReceiverOptions(options);
  let requests: Requests = {};
  let tasks: ReceiverTasks | undefined;
  return {
    // These handlers make the methods known to the client. The middleware answers them.
    also: Object.fromEntries(coreMethods.map((method) => [method, () => ({})])),
    // Listing is safe: a client has one server, and lists only that server's tasks.
    capabilities: ({ table }) =>
      table.incomingRequests.has(resultMethod) && Object.keys(requests).length > 0
        ? { tasks: { list: {}, cancel: {}, requests } }
        : {},
    attach: (program) => {
      if (tasks) throw invalid("receiver: one client has it already. Call receiver() for each client.");
      const client = program as Client;
      requests = requestsOf(client);
      const own = (tasks = new ReceiverTasks(client, options));
      client.use((request, next) => {
        const { direction, method } = request;
        const { context, params } = request as { readonly context: AnswerContext; readonly params: Params };
        if (direction !== "incoming") return next();
        const isOffered = Object.keys(requests).length > 0 && new ServerQuestion(context).has(resultMethod);
        if (coreMethods.includes(method as CoreMethod)) {
          if (isOffered) return own.answer(method as CoreMethod, params as never, context);
          throw new McpError("method-not-found", `there is no method ${method}`, { rpcCode: -32601 });
        }
        const [group, kind] = method.split("/") as [string, string];
        // A task request that the client has not declared runs as a plain request.
        if (!params.task || !isOffered || !requests[group]?.[kind]) return next();
        return own.create(params as Required<Params>, context, next);
      });
    },
  };
}

interface Params {
  readonly task?: { readonly ttl?: number };
}

/** Returns the requests that a client runs as tasks: those that it has functions for. */
function requestsOf(client: Client): Requests {
  const { functions } = new ExtendedClient(client);
  return Object.fromEntries(Object.entries(all).filter(([name]) => functions[name as keyof typeof all]));
}
