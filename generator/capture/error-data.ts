import { isJsonObject } from "@mcpgen/engine";
import type { CodedErrorDetails } from "../diagnostics/coded-error.js";
import type { Runtime } from "./runtime.js";
import { shortText } from "../print/short-list.js";

/** A JSON-RPC error of a server, as the runtime throws it. */
interface ReceivedError {
  readonly rpcCode?: number;
  readonly data?: unknown;
}

/** 2025-11-25, elicitation: pages that the user must open before the request can succeed. */
const urlElicitationRequired = -32042;

/** Characters of data that people are shown; programs get all. */
const maxShown = 1000;

/** What the error of a server says beside its message. */
export function errorData({
  rpcCode: code,
  data,
}: ReceivedError): Pick<CodedErrorDetails, "detail" | "facts"> {
  if (code === undefined) return {};
  const facts = { rpc: { code, ...(data !== undefined && { data }) } };
  if (data === undefined || data === null) return { facts };
  const text = JSON.stringify(data);
  return { facts, detail: `data: ${shortText(text, maxShown)}` };
}

/**
 * The pages that an error asks the user to open, in lines for people: the message of each, its full URL, and its host. They are
 * shown, and never opened (2025-11-25, elicitation, safe URL handling).
 *
 * @returns undefined for another error, and for one that names no page
 */
export function pagesText({ rpcCode, data }: ReceivedError, { pageProblem }: Runtime): string | undefined {
  if (rpcCode !== urlElicitationRequired || typeof data !== "object" || data === null) return undefined;
  const { elicitations } = data as { readonly elicitations?: unknown };
  const lines = (Array.isArray(elicitations) ? elicitations : []).flatMap((page: unknown) => {
    if (!isJsonObject(page as never)) return [];
    const { url, message } = page as { readonly url?: unknown; readonly message?: unknown };
    if (typeof url !== "string") return [];
    const problem = pageProblem(url);
    return [
      ...(typeof message === "string" ? [message] : []),
      url,
      problem === undefined ? `its host is ${new URL(url).host}` : `do not open it: ${problem}`,
    ];
  });
  return lines.length > 0 ? lines.join("\n") : undefined;
}
