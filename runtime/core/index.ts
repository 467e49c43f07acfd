export type { Channel, Receiver } from "./transport/channel.js";
