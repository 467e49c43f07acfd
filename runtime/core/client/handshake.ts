import type { Implementation, ServerCapabilities } from "@mcpgen/protocol/authoring";
import type { RevisionView } from "../protocol/revision-view.js";
import { McpError, rpc } from "../jsonrpc/errors.js";
import { isObject } from "../jsonrpc/message.js";
import type { Agreement } from "./agreement.js";
import { unbounded } from "./bounds.js";
import { decode } from "./decode.js";
import { type Opening, declaredBy } from "./introduction.js";
import type { Link } from "./link.js";
import { mirrorHeaders } from "./mirror-headers.js";
import { remoteError } from "./remote-error.js";

/** The handshake of the legacy era (2025-11-25, lifecycle, initialization). */
export async function handshake(
  link: Link,
  legacy: readonly RevisionView<"client">[],
  intro: Opening,
): Promise<Agreement> {
  const offered = legacy[0]!;
  const params = offered.lower("outgoingRequests", "initialize", {
    protocolVersion: offered.id,
    capabilities: declaredBy(offered, intro),
    clientInfo: intro.info,
  });
  intro.handshaking(offered);
  const response = await link.request("initialize", () => params, unbounded, { cancellable: false });
  const { result, error } = response;
  if (error) {
    const supported = isObject(error.data) ? error.data["supported"] : undefined;
    if (Array.isArray(supported) || error.code === rpc.methodNotFound)
      throw noCommonVersion(legacy, Array.isArray(supported) ? supported : undefined, error.message);
    throw remoteError("initialize", response);
  }
  const version = result?.["protocolVersion"];
  const spoken = legacy.find(({ id }) => id === version);
  if (!spoken) throw noCommonVersion(legacy, [version]);
  const entry = spoken.table.outgoingRequests.get("initialize")!;
  const decoded = await decode(spoken, "initialize", entry, result, intro.nulls);
  const headers = (method: string): Record<string, string> => mirrorHeaders(spoken, method, undefined);
  link.speak(headers(""));
  link.notify("notifications/initialized", undefined, headers);
  const lifted = spoken.lift("incomingResults", "initialize", decoded.result);
  return {
    spoken,
    serverInfo: lifted["serverInfo"] as Implementation,
    capabilities: lifted["capabilities"] as ServerCapabilities,
    instructions: lifted["instructions"] as string | undefined,
  };
}

/**
 * The two sides share no revision.
 *
 * @param theirs what the server names, if it names any
 * @param detail what else it says
 */
export function noCommonVersion(
  ours: readonly RevisionView[],
  theirs?: readonly unknown[],
  detail?: string,
): McpError {
  const spoken = ours.map(({ id }) => id).join(", ");
  const named = theirs?.filter((each) => typeof each === "string") ?? [];
  const offered =
    named.length > 0
      ? `the server speaks ${named.join(", ")}`
      : theirs
        ? "the server does not say what it speaks"
        : "the server speaks none of them";
  return new McpError(
    "unsupported-version",
    `no common protocol revision: this client speaks ${spoken}; ${offered}${detail === undefined ? "" : ` (${detail})`}`,
    { data: { ours: ours.map(({ id }) => id), ...(theirs ? { supported: theirs } : {}) } },
  );
}
