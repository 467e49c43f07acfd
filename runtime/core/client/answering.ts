import type * as platform from "../platform/platform.js";
import type { Params } from "../jsonrpc/message.js";
import type { Clock } from "../time/clock.js";
import type { Client } from "./client.js";
import { answerServer } from "./server-messages.js";

/**
 * Answers a request of the server that came in a result of an extension, with the handlers of the client: as one that came
 * by itself.
 *
 * @throws {McpError}
 */
export async function answerFor(
  { answers, view }: Client,
  request: { readonly method: string; readonly params?: Params },
  signal: platform.AbortSignal,
): Promise<object> {
  const context = { signal, method: request.method, progress: () => {} };
  return JSON.parse(await answerServer(answers, view, request, context)) as object;
}

/** What names the server of a client in another process, too: its URL without query, or else the name that it gives itself. */
export function endpointOf({ endpoint }: Client): string {
  return endpoint;
}

/** The clock of a client. */
export function clockOfClient({ clock }: Client): Clock {
  return clock;
}
