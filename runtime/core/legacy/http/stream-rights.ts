import { fromBase64Url, toBase64Url } from "../../protocol/binary-content.js";
import { isPromise, jsonOr } from "@mcpgen/base";
import { replyDenial, replyInvalid } from "../../http/server/access.js";
import type { PermitCall, Exchange } from "../../http/server/exchange.js";
import { isScopes } from "../../server/listing.js";

// A client that resumes a stream reads results of an earlier request, so `permit` is asked about its calls again. The
// name of a stream contains these calls, so that every process that reads the events knows them.

/** Separates the calls from the name of a stream. */
const mark = "~";

type Call = readonly [method: string, name: string, scopes: readonly string[]];

/** The name of a stream with the calls that it answers; without the option `permit`, there are no `calls`. */
export function withCalls(stream: string, calls: readonly PermitCall[] | undefined): string {
  if (!calls) return stream;
  const texts: readonly Call[] = calls.map(({ method, name = "", scopes }) => [method, name, scopes]);
  return stream + mark + toBase64Url(new TextEncoder().encode(JSON.stringify(texts)));
}

/** The name of a stream without its calls. */
export function withoutCalls(stream: string): string {
  const at = stream.indexOf(mark);
  return at < 0 ? stream : stream.slice(0, at);
}

/** The calls of a stream; `undefined` if its name is malformed. */
function callsOf(stream: string): readonly Call[] | undefined {
  const at = stream.indexOf(mark);
  if (at < 0) return [];
  const bytes = fromBase64Url(stream.slice(at + mark.length));
  const found = bytes && jsonOr(new TextDecoder().decode(bytes));
  return Array.isArray(found) && found.every(isCall) ? found : undefined;
}

function isCall(value: unknown): value is Call {
  if (!Array.isArray(value)) return false;
  const [method, name, scopes] = value as readonly unknown[];
  return typeof method === "string" && typeof name === "string" && isScopes(scopes);
}

/** Whether a request may resume a stream. If not, it is answered here. Only used with the option `permit`. */
export async function mayResume(exchange: Exchange, stream: string): Promise<boolean> {
  const { permits } = exchange;
  const calls = callsOf(stream);
  if (!calls) {
    replyInvalid(exchange, 400, "there is no such event in this session");
    return false;
  }
  for (const [method, name, scopes] of permits ? calls : []) {
    const may = permits!({ method, name, params: {}, scopes }, true);
    if (isPromise(may) ? await may : may) continue;
    replyDenial(exchange, exchange.denial!);
    return false;
  }
  return true;
}
