// Tools for tests of servers and clients: both in one process, a virtual clock, and recorded sessions.
export { createTestPair, type TestPair, type TestPairOptions } from "./kit/test-pair.js";
export { VirtualClock } from "./kit/virtual-clock.js";
export { Recording } from "./kit/recording.js";
export { Replay, ReplayMismatch, type ReplayOptions } from "./kit/replay.js";
export { formatSession, parseSession, type Recorded, type Side } from "./kit/recording.js";
export { checkSends, type SendIssue, type SendTables } from "./kit/check-sends.js";
export type { Difference } from "./kit/replay.js";

// Two ends of a stream in one process.
export { memoryChannels } from "@mcpgen/base";
