// Opens one side of a channel that an extension defines in addition to the protocol.
export { openPeer } from "./peer/open-peer.js";
export type { ChannelPeer, PeerContext, PeerHandlers, PeerOptions } from "./peer/peer.js";

// Opens a channel between windows, frames and workers.
export { postMessageChannel } from "./post-message/post-message-channel.js";
export type { MessageTarget, PostMessageOptions } from "./post-message/post-message-channel.js";
