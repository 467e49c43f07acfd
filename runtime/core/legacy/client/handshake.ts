import type { ServerCapabilities } from "@mcpgen/protocol/authoring";
import type { Open } from "@mcpgen/protocol/open";
import { unbounded } from "../../client/bounds.js";
import { declaredBy } from "../../client/client-profile.js";
import { decode, remoteError } from "../../client/decode.js";
import { exchangeThrough } from "../../client/middleware.js";
import { mirrorHeaders } from "../../client/mirrored-headers.js";
import { type Handshake, noCommonVersion } from "../../client/negotiation.js";
import * as rpc from "../../jsonrpc/rpc-codes.js";
import { isObject } from "../../jsonrpc/message.js";
import { declaredIn, exactParams } from "../../protocol/revision-view.js";

/** The handshake of the legacy era (2025-11-25, lifecycle, initialization). */
export const handshake: Handshake = async (link, legacy, context) => {
  const offered = legacy[0]!;
  const params = offered.lower("outgoingRequests", "initialize", {
    protocolVersion: offered.id,
    capabilities: declaredBy(offered, context),
    clientInfo: context.info,
  });
  context.handshaking(offered);
  const method = "initialize";
  const response = await exchangeThrough(context, offered, { method, params }, (given, sent) =>
    link.request(method, (id) => exactParams(offered, id, method, given), unbounded, {
      cancellable: false,
      sent,
    }),
  );
  const { result, error } = response;
  if (error) {
    const supported = isObject(error.data) ? error.data["supported"] : undefined;
    if (Array.isArray(supported) || error.code === rpc.methodNotFound)
      throw noCommonVersion(
        legacy,
        Array.isArray(supported) ? supported : undefined,
        error.message,
        remoteError(method, response),
      );
    throw remoteError("initialize", response);
  }
  const version = result?.["protocolVersion"];
  const view = legacy.find(({ id }) => id === version);
  if (!view) throw noCommonVersion(legacy, [version]);
  const entry = view.table.outgoingRequests.get("initialize")!;
  const decoded = await decode(view, "initialize", { entry, result }, context);
  const headers = (method: string): Record<string, string> => mirrorHeaders(view, method, undefined);
  link.setProtocolHeaders(headers(""));
  link.notify("notifications/initialized", undefined, headers);
  const lifted = view.lift("incomingResults", "initialize", decoded.result);
  return {
    view,
    serverInfo: lifted["serverInfo"] as Open<"Implementation">,
    capabilities: declaredIn(decoded.result["capabilities"], lifted["capabilities"]) as ServerCapabilities,
    instructions: lifted["instructions"] as string | undefined,
  };
};
