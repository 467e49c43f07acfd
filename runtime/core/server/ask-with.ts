import type {
  ClientCapabilities,
  CreateMessageResult,
  ElicitResult,
  ListRootsResult,
} from "@mcpgen/protocol/authoring";
import { contentProblem, formProblem } from "../protocol/form.js";
import { McpError, messageOf } from "../jsonrpc/errors.js";
import type { Params } from "../jsonrpc/message.js";
import { messagesProblem } from "../protocol/messages.js";
import type { Ask, AskOptions, AskedRequest, AskedResults, Elicited } from "./ask.js";
import { type RequestContext, missingCapability } from "./context.js";
import type { Asked } from "./rounds.js";
import type { Terms } from "./terms.js";

/** Has a request answered, in the way of an era. */
type Send = (key: string, asked: Asked, options: AskOptions | undefined) => Promise<Params>;

/** What both eras do about an ask: check that it may be made, and that the answer is one. */
export function askWith(context: RequestContext, send: Send): Ask {
  const used = new Set<string>();
  const request = (key: string, asked: Asked, options?: AskOptions): Promise<Params> => {
    if (used.has(key)) return Promise.reject(usedTwice(key));
    used.add(key);
    return handled(checked(context, key, asked, () => send(key, asked, options)));
  };
  return {
    elicit: (key: string, form: object, options?: AskOptions) =>
      request(
        key,
        { method: "elicitation/create", params: { mode: "form", ...form } },
        options,
      ) as Promise<unknown> as Promise<Elicited<never>>,
    url: (key, page, options) => {
      const asked = { method: "elicitation/create", params: { ...page, mode: "url" } };
      const answer = request(key, asked, options) as Promise<unknown> as Promise<ElicitResult>;
      return handled(answer.then(({ action }) => ({ action })));
    },
    sample: (key, params, options) =>
      request(
        key,
        { method: "sampling/createMessage", params: params as unknown as Params },
        options,
      ) as Promise<unknown> as Promise<CreateMessageResult>,
    roots: (key, options) => {
      const answer = request(
        key,
        { method: "roots/list" },
        options,
      ) as Promise<unknown> as Promise<ListRootsResult>;
      return handled(answer.then(({ roots }) => roots));
    },
    all: <R extends { readonly [key: string]: AskedRequest }>(requests: R, options?: AskOptions) => {
      const entries = Object.entries(requests).map(
        async ([key, asked]) => [key, await request(key, asked as Asked, options)] as const,
      );
      const answers = Promise.all(entries).then((each) => Object.fromEntries(each) as Params);
      return handled(answers as Promise<unknown> as Promise<AskedResults<R>>);
    },
  };
}

/** A handler may wait for one of several asks, and be left by its error: the others then fail unheard. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** An answer is kept by its key: who asks again under it would be given what they have, for ever. */
function usedTwice(key: string): McpError {
  return new McpError(
    "invalid-definition",
    `two asks have the key ${JSON.stringify(key)}: keys are unique in a handler; number those of a loop`,
  );
}

async function checked(
  context: RequestContext,
  key: string,
  asked: Asked,
  send: () => Promise<Params>,
): Promise<Params> {
  const { terms } = context;
  const missing = missingFor(asked, terms);
  if (missing) throw missingCapability(terms, missing);
  const problem = problemOf(asked);
  if (problem !== undefined) throw new McpError("invalid-params", `ask ${JSON.stringify(key)}: ${problem}`);
  const answer = await send();
  const wrong = await answerProblem(asked, answer);
  if (wrong !== undefined)
    throw new McpError(
      "invalid-result",
      `the client's answer to ${JSON.stringify(key)} is refused: ${wrong}`,
    );
  const { action, content } = answer;
  return action === "accept" && content === undefined && asked.params?.["mode"] !== "url"
    ? { ...answer, content: {} }
    : answer;
}

/** What the client would have to declare for a request, and has not. */
function missingFor(
  { method, params = {} }: Asked,
  { clientCapabilities: declared, spoken }: Terms,
): ClientCapabilities | undefined {
  if (method === "elicitation/create") return missingElicitation(params, declared);
  if (method === "roots/list") return declared.roots ? undefined : { roots: {} };
  if (method !== "sampling/createMessage") return undefined;
  const { sampling } = declared;
  const { includeContext = "none" } = params;
  if ((params["tools"] ?? params["toolChoice"]) !== undefined && !sampling?.tools)
    return { sampling: { tools: {} } };
  // A client of a revision without this part has it with sampling itself (2025-06-18 and before).
  const parts = spoken.table.outgoingRequests.get(method)?.capability?.parts;
  if (includeContext !== "none" && parts?.includes("context") && !sampling?.context)
    return { sampling: { context: {} } };
  return sampling ? undefined : { sampling: {} };
}

/** An empty declaration means forms (2025-11-25, elicitation, capabilities). */
function missingElicitation(
  { mode }: Params,
  { elicitation }: ClientCapabilities,
): ClientCapabilities | undefined {
  if (mode === "url") return elicitation?.url ? undefined : { elicitation: { url: {} } };
  const forms = elicitation && (elicitation.form !== undefined || elicitation.url === undefined);
  return forms ? undefined : { elicitation: { form: {} } };
}

function problemOf({ method, params = {} }: Asked): string | undefined {
  try {
    JSON.stringify(params);
  } catch (error) {
    return `it cannot be sent as JSON: ${messageOf(error)}`;
  }
  if (method === "sampling/createMessage") return messagesProblem(params["messages"]);
  if (method === "elicitation/create" && params["mode"] !== "url")
    return formProblem(params["requestedSchema"]);
  return undefined;
}

async function answerProblem({ method, params = {} }: Asked, answer: Params): Promise<string | undefined> {
  if (method !== "elicitation/create" || params["mode"] === "url" || answer["action"] !== "accept")
    return undefined;
  const { content = {} } = answer;
  return contentProblem(params["requestedSchema"], content);
}
