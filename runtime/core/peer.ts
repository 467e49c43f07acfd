// One side of a channel that an extension has beside the protocol.
export { openPeer } from "./peer/open-peer.js";
export type { ChannelPeer, PeerContext, PeerHandlers, PeerOptions } from "./peer/peer.js";
