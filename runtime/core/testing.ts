// For tests of servers and clients: both in one process, time that stands still, and sessions on record.
export { createTestPair, type TestPair, type TestPairOptions } from "./testing/test-pair.js";
export { VirtualClock } from "./testing/virtual-clock.js";
export { Recording } from "./testing/recording.js";
export { Replay, ReplayMismatch, type ReplayOptions } from "./testing/replay.js";
export { formatSession, parseSession, type Recorded, type Side } from "./testing/recording.js";
export { checkSends, type SendIssue, type SendTables } from "./testing/check-sends.js";
export type { Difference } from "./testing/replay.js";

// Two ends of a stream in one process.
export { memoryChannels } from "./jsonrpc/memory-channel.js";
