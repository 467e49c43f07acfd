import type { ClientCapabilities, Root } from "@mcpgen/protocol/authoring";
import { contentProblem, formProblem } from "../elicitation/form.js";
import { type Spoken, summary } from "../era/spoken.js";
import { McpError, invalidParams, rpc } from "../peer/errors.js";
import { type Params, isObject } from "../peer/message.js";
import { messagesProblem } from "../sampling/messages.js";
import { type Nulls, withoutNulls } from "./decode.js";
import type { AnswerContext, ClientHandlers } from "./handlers.js";

/** What a client declares, from what it can do. */
export function capabilitiesOf(handlers: ClientHandlers): ClientCapabilities {
  const { elicit, elicitUrl, sample, sampleWithTools, sampleWithContext, roots } = handlers;
  return {
    ...(elicit || elicitUrl
      ? { elicitation: { ...(elicit ? { form: {} } : {}), ...(elicitUrl ? { url: {} } : {}) } }
      : {}),
    ...(sample
      ? {
          sampling: {
            ...(sampleWithTools ? { tools: {} } : {}),
            ...(sampleWithContext ? { context: {} } : {}),
          },
        }
      : {}),
    ...(roots ? { roots: {} } : {}),
  };
}

/**
 * Answers a request of the server's, however it came: as a request of its own or inside a result that asks
 * for input.
 *
 * @param message the whole request, as it came
 * @param nulls `absent`: null is a way to leave a member out
 * @throws {McpError} with the code of JSON-RPC to answer with
 */
export async function answerServer(
  handlers: ClientHandlers,
  spoken: Spoken<"client">,
  { method, params = {} }: { readonly method: string; readonly params?: Params },
  context: AnswerContext,
  nulls: Nulls,
): Promise<Params> {
  if (method === "ping" && spoken.table.incomingRequests.has(method)) return {};
  const answer = answerers[method];
  const entry = spoken.table.incomingRequests.get(method);
  if (!entry || !answer) throw notFound(method);
  let envelope: { readonly params: Params } = { jsonrpc: "2.0", id: 0, method, params } as never;
  if (!entry.accepts(envelope) && nulls === "absent") envelope = await withoutNulls(entry, envelope);
  if (!entry.accepts(envelope))
    throw invalidParams(
      `${method}: ${summary(await spoken.issues(envelope, entry).catch(() => []), "the parameters are wrong")}`,
    );
  const lifted = spoken.lift("incomingRequests", method, envelope.params);
  const result: unknown = await answer(handlers, lifted, context);
  if (!isObject(result)) throw failed(`${method}: the answer to it is no object`);
  return spoken.lower("outgoingResults", method, result);
}

type Answerer = (handlers: ClientHandlers, params: Params, context: AnswerContext) => Promise<Params>;

const answerers: { readonly [method: string]: Answerer } = {
  "elicitation/create": elicit,
  "sampling/createMessage": sample,
  "roots/list": listRoots,
};

async function elicit(handlers: ClientHandlers, params: Params, context: AnswerContext): Promise<Params> {
  if (!handlers.elicit && !handlers.elicitUrl) throw notDeclared("elicitation");
  if (params["mode"] === "url") {
    if (!handlers.elicitUrl) throw invalidParams("the client has not declared elicitation.url");
    const { action } = answered("elicitUrl", await handlers.elicitUrl(params as never, context));
    return { action };
  }
  if (!handlers.elicit) throw invalidParams("the client has not declared elicitation.form");
  const problem = formProblem(params["requestedSchema"]);
  if (problem !== undefined) throw invalidParams(problem);
  const result = answered("elicit", await handlers.elicit(params as never, context));
  if (result.action !== "accept") return { action: result.action };
  const content = result.content ?? {};
  const bad = contentProblem(params["requestedSchema"], content);
  if (bad !== undefined) throw failed(`the user's answer does not fit the form: ${bad}`);
  return { action: "accept", content };
}

async function sample(handlers: ClientHandlers, params: Params, context: AnswerContext): Promise<Params> {
  const { sample: handler, sampleWithTools } = handlers;
  if (!handler) throw notDeclared("sampling");
  if ((params["tools"] ?? params["toolChoice"]) !== undefined && !sampleWithTools)
    throw invalidParams("the client has not declared sampling.tools");
  const problem = messagesProblem(params["messages"]);
  if (problem !== undefined) throw invalidParams(problem);
  return (await handler(params as never, context)) as unknown as Params;
}

async function listRoots({ roots }: ClientHandlers): Promise<Params> {
  if (!roots) throw notDeclared("roots");
  const list = typeof roots === "function" ? await roots() : roots;
  const problem = rootsProblem(list);
  if (problem !== undefined) throw failed(problem);
  return { roots: list };
}

/** What the application answered with, whatever its type says. */
function answered<Result extends object>(handler: string, result: Result): Result {
  if (!isObject(result)) throw failed(`${handler} gave ${JSON.stringify(result)}, not an object`);
  return result;
}

/** What is wrong with the roots of a client (client/roots, root). */
export function rootsProblem(roots: readonly Root[]): string | undefined {
  if (!Array.isArray(roots)) return `roots are a list, not ${JSON.stringify(roots)}`;
  const stray = (roots as readonly Root[]).find((root) => !root?.uri?.startsWith?.("file://"));
  return stray === undefined
    ? undefined
    : `roots are file:// URIs; ${stray?.uri ?? JSON.stringify(stray)} is not`;
}

/** The user does not want the model to be asked (sampling, error handling). */
export function userRejected(message = "the user rejected the request"): McpError {
  return new McpError("cancelled", message, { rpcCode: -1 });
}

function notFound(method: string): McpError {
  return new McpError("method-not-found", `there is no method ${JSON.stringify(method)}`, {
    rpcCode: rpc.methodNotFound,
  });
}

/** Revisions differ in the code; what is not declared is not there. */
function notDeclared(capability: string): McpError {
  return new McpError("missing-capability", `the client has not declared ${capability}`, {
    rpcCode: rpc.methodNotFound,
  });
}

function failed(message: string): McpError {
  return new McpError("internal-error", message, { rpcCode: rpc.internalError });
}

/** Whether what was thrown is to be told to the server, and how. */
export function errorBody(thrown: unknown): { code: number; message: string; data?: unknown } {
  const error = thrown instanceof McpError ? thrown : undefined;
  const data = error?.data;
  return {
    code: error?.rpcCode ?? rpc.internalError,
    message: error?.message ?? "the client failed to answer",
    ...(isObject(data) ? { data } : {}),
  };
}
