import type { Params } from "../jsonrpc/message.js";
import type { Ask } from "./ask.js";
import { askWith } from "./ask-with.js";
import type { RequestContext } from "./context.js";

/** Asks by requests of the server's own (2025-11-25 and before). */
export function askByRequest(context: RequestContext): Ask {
  const { connection, terms, signal, request } = context;
  return askWith(context, (_key, { method, params }, options) =>
    connection.ask(terms, method, named(params), request.id, { ...options, signal }),
  );
}

/** Legacy revisions name each page the user is sent to (2025-11-25, elicitation, URL mode). */
function named(params: Params | undefined): Params | undefined {
  return params?.["mode"] === "url" ? { elicitationId: crypto.randomUUID(), ...params } : params;
}
