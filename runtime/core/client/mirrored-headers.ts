import type { HeaderSource } from "@mcpgen/protocol/model";
import type { RevisionView } from "../protocol/revision-view.js";
import { McpError, messageOf } from "../jsonrpc/errors.js";
import { ofListedTools } from "./client-profile.js";
import { valueAt, type Params } from "../jsonrpc/message.js";
import {
  type ParamHeader,
  encodeHeaderValue,
  headerValue,
  paramHeadersOf,
} from "../protocol/param-headers.js";
import type { Open } from "@mcpgen/protocol/open";
import type { Rejected } from "./decode.js";

/**
 * The headers that mirror a message (2026-07-28, Streamable HTTP, request metadata). Earlier revisions mirror only the
 * negotiated revision.
 *
 * @param params as they are sent
 * @param declared the headers that the called tool declares for its arguments
 * @throws {McpError} `invalid-params`: a header cannot carry a value
 */
export function mirrorHeaders(
  view: RevisionView<"client">,
  method: string,
  params: Params | undefined,
  declared?: DeclaredHeaders,
): Record<string, string> {
  const { table } = view;
  const headers: Record<string, string> = {};
  const own = table.outgoingRequests.get(method)?.headers ?? [];
  for (const source of [...table.headers, ...own]) {
    const value = valueOf(source, view, { method, params });
    if (value !== undefined) headers[source.header] = encodeHeaderValue(value);
  }
  for (const { name, path } of declared?.headers ?? []) {
    try {
      const value = headerValue(valueAt(declared!.args, path));
      if (value !== undefined) headers[name] = value;
    } catch (error) {
      throw new McpError("invalid-params", `arguments.${path.join(".")}: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }
  return headers;
}

/** A header without a source holds the negotiated revision; `initialize` has none yet. */
function valueOf(
  { from }: HeaderSource,
  { id }: RevisionView,
  message: { readonly method: string; readonly params: Params | undefined },
): string | undefined {
  if (!from) return message.method === "initialize" ? undefined : id;
  const value = valueAt(message, from);
  return typeof value === "string" ? value : undefined;
}

/** The headers of one call, and the arguments that they repeat. */
interface DeclaredHeaders {
  readonly headers: readonly ParamHeader[];
  readonly args: unknown;
}

/** The parameter headers of listed tools (2026-07-28, Streamable HTTP, custom headers). */
export class ToolHeaders {
  #known = ofListedTools<readonly ParamHeader[]>();

  /** @param call the parameters of the call, in the words of the vocabulary, as the tools were learned */
  of({ name, arguments: args }: Params): DeclaredHeaders | undefined {
    const headers = this.#known.get(name as string);
    return headers && { headers, args };
  }

  /** Another server may declare other headers. */
  forget(): void {
    this.#known = ofListedTools();
  }

  /** Keeps the headers of listed tools. Rejects tools with invalid declarations. */
  learn(tools: readonly Open<"Tool">[]): { tools: readonly Open<"Tool">[]; rejected: readonly Rejected[] } {
    const rejected: Rejected[] = [];
    const usable = tools.filter((tool, index) => {
      const { headers, problem } = paramHeadersOf(tool.inputSchema);
      this.#known.delete(tool.name);
      if (problem === undefined) {
        this.#known.set(tool.name, headers, { bytes: tool.name.length + JSON.stringify(headers).length });
        return true;
      }
      rejected.push({ index, name: tool.name, pointer: "/inputSchema", reason: problem });
      return false;
    });
    return { tools: usable, rejected };
  }
}
