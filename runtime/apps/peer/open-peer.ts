import type { ChannelMessages, ChannelTable } from "@mcpgen/protocol/model";
import type { Channel } from "@mcpgen/runtime";
import { checkOptions, gone, invalid, type Rules, suggestion } from "@mcpgen/base";
import type { ChannelPeer, PeerHandlers, PeerOptions } from "./peer.js";
import { PeerConnection } from "./peer-connection.js";

const rules: Rules<PeerOptions, "maxRequests"> = {
  timeouts: { timeout: "amount", totalTimeout: "amount" },
  onError: "function",
  clock: "object",
  maxRequests: gone("Leave it out: 1,000 requests are answered at a time."),
};

/**
 * Opens one side of a channel of an extension. Received messages are validated by the table, in the open reading: unknown
 * members are accepted.
 *
 * @param table of the role, as its generated module exports it
 * @param channel to the other side, which has another role; this function opens it
 * @throws {McpError} `invalid-definition`: an option is wrong, the role does not receive a method, a handler that answers
 *   the handshake is missing, or this runtime does not read the format of the table
 */
export function openPeer<Messages extends ChannelMessages>(
  table: ChannelTable<Messages>,
  channel: Channel,
  handlers: NoInfer<PeerHandlers<Messages>>,
  options: PeerOptions = {},
): ChannelPeer<Messages> {
  checkOptions(options, rules, "openPeer: ");
  const { format, role, handshake, incomingRequests, incomingNotifications } = table;
  if (format !== 1)
    throw invalid(
      `openPeer: the table has format ${String(format)}; this runtime reads 1. Generate it again.`,
    );
  const known = [...incomingRequests.keys(), ...incomingNotifications.keys()];
  for (const [method, handler] of Object.entries(handlers)) {
    if (!known.includes(method))
      throw invalid(`openPeer: the role ${role} does not receive ${method}. ${suggestion(method, known)}`);
    if (typeof handler !== "function")
      throw invalid(`openPeer: ${method}: expected a function, got ${typeof handler}.`);
  }
  if (handshake && !handshake.opens && !Object.hasOwn(handlers, handshake.request))
    throw invalid(
      `openPeer: there is no handler of ${handshake.request}, which opens the channel. Give the role ${role} one.`,
    );
  const peer = new PeerConnection(table, channel, new Map(Object.entries(handlers)), options);
  channel.open(peer);
  // The functions do not depend on `this`: programs may destructure the object.
  const open = {
    ready: peer.ready,
    closed: peer.over,
    request: peer.request.bind(peer),
    notify: peer.notify.bind(peer),
    close: peer.close.bind(peer),
  };
  return open as unknown as ChannelPeer<Messages>;
}
