// A channel between windows, frames and workers.
export { postMessageChannel } from "./post-message/post-message-channel.js";
export type { MessageTarget, PostMessageOptions } from "./post-message/post-message-channel.js";
