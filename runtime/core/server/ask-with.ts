import type {
  ClientCapabilities,
  CreateMessageResult,
  ElicitResult,
  ListRootsResult,
} from "@mcpgen/protocol/authoring";
import { contentProblem, formProblem } from "../elicitation/form.js";
import { McpError } from "../peer/errors.js";
import { type Params, isObject } from "../peer/message.js";
import { messagesProblem } from "../sampling/messages.js";
import type { Ask, AskOptions, AskedRequest, AskedResults, Elicited } from "./ask.js";
import { type RequestContext, missingCapability } from "./context.js";
import type { Asked } from "./rounds.js";

/** Has a request answered, in the way of an era. */
type Send = (key: string, asked: Asked, options: AskOptions | undefined) => Promise<Params>;

/** What both eras do about an ask: check that it may be made, and that the answer is one. */
export function askWith(context: RequestContext, send: Send): Ask {
  const answers = new Map<string, Promise<Params>>();
  const request = (key: string, asked: Asked, options?: AskOptions): Promise<Params> => {
    let answer = answers.get(key);
    if (!answer) answers.set(key, (answer = checked(context, key, asked, () => send(key, asked, options))));
    return answer;
  };
  return {
    elicit: <C extends object>(key: string, form: object, options?: AskOptions) =>
      request(
        key,
        { method: "elicitation/create", params: { mode: "form", ...form } },
        options,
      ) as Promise<unknown> as Promise<Elicited<C>>,
    url: async (key, page, options) => {
      const asked = { method: "elicitation/create", params: { ...page, mode: "url" } };
      const answer = await request(key, asked, options);
      return { action: (answer as unknown as ElicitResult).action };
    },
    sample: (key, params, options) =>
      request(
        key,
        { method: "sampling/createMessage", params: params as unknown as Params },
        options,
      ) as Promise<unknown> as Promise<CreateMessageResult>,
    roots: async (key, options) =>
      ((await request(key, { method: "roots/list" }, options)) as unknown as ListRootsResult).roots,
    all: async <R extends { readonly [key: string]: AskedRequest }>(requests: R, options?: AskOptions) => {
      const entries = Object.entries(requests).map(
        async ([key, asked]) => [key, await request(key, asked as Asked, options)] as const,
      );
      return Object.fromEntries(await Promise.all(entries)) as unknown as AskedResults<R>;
    },
  };
}

async function checked(
  context: RequestContext,
  key: string,
  asked: Asked,
  send: () => Promise<Params>,
): Promise<Params> {
  const { terms } = context;
  const missing = missingFor(asked, terms.clientCapabilities);
  if (missing) throw missingCapability(terms, missing);
  const problem = problemOf(asked);
  if (problem !== undefined) throw new McpError("invalid-params", `ask ${JSON.stringify(key)}: ${problem}`);
  const answer = await send();
  const wrong = answerProblem(asked, answer);
  if (wrong !== undefined)
    throw new McpError(
      "invalid-result",
      `the client's answer to ${JSON.stringify(key)} is refused: ${wrong}`,
    );
  return answer;
}

/** What the client would have to declare for a request, and has not. */
function missingFor(
  { method, params = {} }: Asked,
  declared: ClientCapabilities,
): ClientCapabilities | undefined {
  if (method === "elicitation/create") return missingElicitation(params, declared);
  if (method === "roots/list") return declared.roots ? undefined : { roots: {} };
  if (method !== "sampling/createMessage") return undefined;
  const { sampling } = declared;
  const { includeContext = "none" } = params;
  if ((params["tools"] ?? params["toolChoice"]) !== undefined && !sampling?.tools)
    return { sampling: { tools: {} } };
  if (includeContext !== "none" && !sampling?.context) return { sampling: { context: {} } };
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
  if (method === "sampling/createMessage") return messagesProblem(params["messages"]);
  if (method === "elicitation/create" && params["mode"] !== "url")
    return formProblem(params["requestedSchema"]);
  return undefined;
}

function answerProblem({ method, params = {} }: Asked, answer: Params): string | undefined {
  if (method !== "elicitation/create" || params["mode"] === "url" || answer["action"] !== "accept")
    return undefined;
  const { content = {} } = answer;
  return isObject(content) ? contentProblem(params["requestedSchema"], content) : "content is not an object";
}
