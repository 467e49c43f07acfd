// HTTP sessions that any process with the same keys can continue, without a store.
export { sealedSessions, type SealedSessionOptions, type SealedSessions } from "./sealed/sealed-sessions.js";
