import type { ServerCapabilities } from "@mcpgen/protocol/authoring";
import type { Open } from "@mcpgen/protocol/open";
import { declaredBy } from "../../client/client-profile.js";
import { mirrorHeaders } from "../../client/connection.js";
import { decode, remoteError } from "../../client/decode.js";
import { type Handshake, noCommonVersion } from "../../client/negotiation.js";
import * as rpc from "@mcpgen/base/rpc-codes";
import { isObject } from "@mcpgen/base";
import { declaredIn } from "../../protocol/revision-view.js";

/** The handshake of the legacy era (2025-11-25, lifecycle, initialization). */
export const handshake: Handshake = async (connection, legacy, profile) => {
  const offered = legacy[0]!;
  const method = "initialize";
  const params = offered.lower("outgoingRequests", method, {
    protocolVersion: offered.id,
    capabilities: declaredBy(offered, profile),
    clientInfo: profile.info,
  });
  connection.view = offered;
  const response = await connection.exchange(offered, method, params);
  const { result, error } = response;
  if (error) {
    const supported = isObject(error.data) ? error.data["supported"] : undefined;
    const theirs = Array.isArray(supported) ? supported : undefined;
    const refusal = remoteError(method, response);
    const isRefused = theirs !== undefined || error.code === rpc.methodNotFound;
    throw isRefused ? noCommonVersion(legacy, theirs, error.message, refusal) : refusal;
  }
  const version = result?.["protocolVersion"];
  const view = legacy.find(({ id }) => id === version);
  if (!view) throw noCommonVersion(legacy, [version]);
  const entry = view.table.outgoingRequests.get(method)!;
  const decoded = await decode(view, method, { entry, result }, profile);
  connection.channel.setProtocolHeaders(mirrorHeaders(view, "", undefined));
  connection.view = view;
  connection.notify("notifications/initialized");
  const lifted = view.lift("incomingResults", method, decoded.result);
  return {
    view,
    serverInfo: lifted["serverInfo"] as Open<"Implementation">,
    capabilities: declaredIn(decoded.result["capabilities"], lifted["capabilities"]) as ServerCapabilities,
    instructions: lifted["instructions"] as string | undefined,
  };
};
