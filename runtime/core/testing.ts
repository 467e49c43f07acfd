// Two ends of a stream in one process.
export { memoryChannels } from "./memory/memory-channel.js";
