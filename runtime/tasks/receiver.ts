// Tasks that a client runs for its server.
export { receiver, type Receiver } from "./client/receiver.js";
export type { ReceiverOptions, ReceiverQuotas } from "./client/receiver-options.js";
