import type { Implementation, ServerCapabilities } from "@mcpgen/protocol/authoring";
import { metaKeys } from "../protocol/meta.js";
import type { RevisionView } from "../protocol/revision-view.js";
import { McpError, rpc } from "../jsonrpc/errors.js";
import { type Params, isObject } from "../jsonrpc/message.js";
import type { Agreement } from "./agreement.js";
import { unbounded } from "./bounds.js";
import { type Opening, requestMeta } from "./introduction.js";
import type { Link } from "./link.js";
import { mirrorHeaders } from "./mirror-headers.js";
import { isPassing, statusOf } from "./refused.js";
import type { Answer } from "./remote-error.js";

/** Milliseconds before a probe that was refused for the moment is sent again, where the server does not say. */
const pauses = [100, 200, 400];

/**
 * The answer to the probe. Where HTTP refuses it for the moment, which says nothing of the era, it is sent again.
 *
 * @param settled aborts when nobody wants to know any more
 */
export async function probed(
  link: Link,
  spoken: RevisionView<"client">,
  intro: Opening,
  settled: AbortSignal,
): Promise<Answer> {
  for (const usual of pauses) {
    const answer = await discover(link, spoken, intro);
    const { refusal } = answer;
    if (!isPassing(statusOf(refusal))) return answer;
    const wait = retryAfterOf(refusal) ?? usual;
    if (link.clock.now() + wait >= intro.due) return answer;
    await pause(wait, link, settled);
    if (settled.aborted) return answer;
  }
  return discover(link, spoken, intro);
}

/** Asks once. A server that refuses in the words of HTTP alone gives an error that says nothing. */
export async function discover(link: Link, spoken: RevisionView<"client">, intro: Opening): Promise<Answer> {
  const headers = (method: string, params: Params | undefined): Record<string, string> =>
    mirrorHeaders(spoken, method, params);
  try {
    const make = (): Params => ({ _meta: requestMeta(spoken, intro) });
    return await link.request("server/discover", make, unbounded, { headers });
  } catch (error) {
    if (!(error instanceof McpError) || statusOf(error) === undefined) throw error;
    const { message } = error;
    return { jsonrpc: "2.0", error: { code: rpc.internalError, message }, refusal: error };
  }
}

/** What a discovery says of the server. */
export function discovered(spoken: RevisionView<"client">, result: Params): Agreement {
  const { capabilities, instructions, _meta } = result;
  return {
    spoken,
    serverInfo: _meta?.[metaKeys.serverInfo] as Implementation | undefined,
    capabilities: (isObject(capabilities) ? capabilities : {}) as ServerCapabilities,
    instructions: typeof instructions === "string" ? instructions : undefined,
  };
}

function retryAfterOf(refusal: Error | undefined): number | undefined {
  const data = refusal instanceof McpError && isObject(refusal.data) ? refusal.data : {};
  return typeof data["retryAfterMs"] === "number" ? data["retryAfterMs"] : undefined;
}

/** Waits `ms` milliseconds, unless the link is closed before or the signal aborts. */
function pause(ms: number, link: Link, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let ignore: () => void = () => {};
    const done = (): void => {
      link.clock.clear(timer);
      signal.removeEventListener("abort", done);
      ignore();
      resolve();
    };
    const timer = link.clock.schedule(done, ms);
    signal.addEventListener("abort", done);
    ignore = link.whenClosed(done);
  });
}
