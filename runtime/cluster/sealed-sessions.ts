// Sessions over HTTP that any process with the same keys continues, without a store.
export { sealedSessions, type SealedSessionOptions, type SealedSessions } from "./sealed/sealed-sessions.js";
