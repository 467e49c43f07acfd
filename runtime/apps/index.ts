// One side of a channel that an extension has beside the protocol.
export { openPeer } from "./peer/open-peer.js";
export type { ChannelPeer, PeerContext, PeerHandlers, PeerOptions } from "./peer/peer.js";

// A channel between windows, frames and workers.
export { postMessageChannel } from "./post-message/post-message-channel.js";
export type { MessageTarget, PostMessageOptions } from "./post-message/post-message-channel.js";
